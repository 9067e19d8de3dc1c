/* Files of 64 KiB written in records of 4 KiB by the calls of a client and nothing else: openat, 16 pwrite, close.
   plain_files ORDER FOLDER CLIENTS FILES: a folder c0, c1, ... for each client, made before. ORDER is turns (a call of each
   client, then the next of each) or files (a file from its first call to its last, then the next client's). */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RECORD = 4096, RECORDS = 16, MOST = 1000 };

static int folders[MOST], files[MOST];
static char record[RECORD];

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void make(int client, int number) {
    char name[32];
    snprintf(name, sizeof name, "f%d", number);
    files[client] = openat(folders[client], name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
    if (files[client] < 0) fail(name);
}

static void add(int client, int place) {
    if (pwrite(files[client], record, RECORD, (off_t)place * RECORD) != RECORD) fail("pwrite");
}

static void in_turns(int clients, int number) {
    for (int client = 0; client < clients; client++) make(client, number);
    for (int place = 0; place < RECORDS; place++)
        for (int client = 0; client < clients; client++) add(client, place);
    for (int client = 0; client < clients; client++) close(files[client]);
}

static void one_by_one(int clients, int number) {
    for (int client = 0; client < clients; client++) {
        make(client, number);
        for (int place = 0; place < RECORDS; place++) add(client, place);
        close(files[client]);
    }
}

int main(int count, char **words) {
    int clients = count == 5 ? atoi(words[3]) : 0;
    if (clients < 1 || clients > MOST) return 2;
    memset(record, 7, sizeof record);
    for (int client = 0; client < clients; client++) {
        char name[4096];
        snprintf(name, sizeof name, "%s/c%d", words[2], client);
        if (mkdir(name, 0755) != 0 || (folders[client] = open(name, O_PATH | O_DIRECTORY)) < 0) fail(name);
    }
    for (int number = 0; number < atoi(words[4]); number++)
        (strcmp(words[1], "turns") == 0 ? in_turns : one_by_one)(clients, number);
    return 0;
}
