/* The engine's messages over SMB 3.0.2, in a plain loop of system calls: what they take without an engine.
 *
 * plain_smb PORT SHARE USER PASSWORD_FILE CLIENTS SIZES FILES_OF_SIZE: a connection a client to 127.0.0.1, unsigned,
 * one request of each at a time. Each client makes a directory below `clients`, which is there; its files have 4 KiB,
 * 8 KiB and so on, as many sizes as said, all of them so many times. First all write, then all read, in records of
 * 4 KiB. No clock, no histogram, no contents made or compared. Prints the processor time, the operations and the time
 * of both passes, without logging in. Layout of messages: MS-SMB2 2.2, MS-NLMP 2.2 and 3.3.2 (NTLM version 2). */
#define _GNU_SOURCE
#define OPENSSL_SUPPRESS_DEPRECATED /* MD4 is what NTLM hashes a password with. */
#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md4.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "messages have their numbers as the processor has them");

enum { LIMIT_SECONDS = 100, RECORD_BYTES = 4096, EVENTS = 256, NAME_LETTERS = 64, TOKEN_BYTES = 1024 };
/* Where a reply to CREATE has the file. */
enum { FILE_AT = 132 };
enum { NEGOTIATE = 0, SESSION_SETUP = 1, TREE_CONNECT = 3, CREATE = 5, CLOSE = 6, READ = 8, WRITE = 9 };
enum { DIALECT_302 = 0x302, SIGNING_ENABLED = 1, LARGE = 4, IMPERSONATION = 2, SHARED_WITH_ALL = 7 };
enum { OPEN = 1, MAKE = 2, OPEN_OR_MAKE = 3, IS_DIRECTORY = 1, IS_NO_DIRECTORY = 0x40 };
enum { FOR_READING = 0x120081, FOR_WRITING = 0x120186, FOR_ATTRIBUTES = 0x100080 };
enum { MORE_PROCESSING_REQUIRED = 0xC0000016, PENDING = 0x103 };
enum { UNICODE_NTLM_EXTENDED = 0x88205 };

#define PACKED __attribute__((packed, may_alias))

struct PACKED header {
    uint32_t frame_bytes; /* The highest byte first; all other numbers have the lowest first. */
    uint32_t protocol;
    uint16_t size, charge;
    uint32_t status;
    uint16_t command, credits;
    uint32_t flags, next;
    uint64_t message;
    uint32_t process, tree;
    uint64_t session, signature[2];
};

#define HEADER(of) {.protocol = 0x424D53FE, .size = 64, .charge = 1, .command = (of), .credits = 1}

static struct PACKED {
    struct header header;
    uint16_t size, dialects, security, zero;
    uint32_t capabilities;
    uint64_t client[2], start;
    uint16_t dialect;
} negotiate = {HEADER(NEGOTIATE), 36, 1, SIGNING_ENABLED, 0, LARGE, {1, 1}, 0, DIALECT_302};

static struct PACKED {
    struct header header;
    uint16_t size;
    uint8_t flags, security;
    uint32_t capabilities, channel;
    uint16_t token_at, token_bytes;
    uint64_t before;
    uint8_t token[TOKEN_BYTES];
} setup = {HEADER(SESSION_SETUP), 25, 0, SIGNING_ENABLED, 0, 0, 88, 0, 0, {0}};

static struct PACKED {
    struct header header;
    uint16_t size, flags, name_at, name_bytes, name[NAME_LETTERS];
} tree = {HEADER(TREE_CONNECT), 9, 0, 72, 0, {0}};

static struct PACKED {
    struct header header;
    uint16_t size;
    uint8_t zero, oplock;
    uint32_t impersonation;
    uint64_t zeros[2];
    uint32_t access, attributes, sharing, disposition, options;
    uint16_t name_at, name_bytes;
    uint64_t contexts;
    uint16_t name[NAME_LETTERS];
} create = {HEADER(CREATE), 57, 0, 0, IMPERSONATION, {0}, 0, 0, SHARED_WITH_ALL, 0, 0, 120, 0, 0, {0}};

static struct PACKED {
    struct header header;
    uint16_t size, flags;
    uint32_t zero;
    uint64_t file[2];
} closing = {HEADER(CLOSE), 24, 0, 0, {0}};

static struct PACKED {
    struct header header;
    uint16_t size;
    uint8_t data_at, flags;
    uint32_t bytes;
    uint64_t offset;
    uint64_t file[2];
    uint8_t zeros[17];
} reading = {HEADER(READ), 49, 80, 0, RECORD_BYTES, 0, {0}, {0}};

static struct PACKED {
    struct header header;
    uint16_t size, data_at;
    uint32_t bytes;
    uint64_t offset;
    uint64_t file[2];
    uint64_t zeros[2];
    uint8_t data[RECORD_BYTES];
} writing = {HEADER(WRITE), 49, 112, RECORD_BYTES, 0, {0}, {0}, {0}};

struct client {
    int socket;
    uint32_t number, tree;
    uint64_t session, message;
    /* In a pass: the file, and its next operation: 0 opens it, then each record, then it is closed. */
    unsigned index, step;
    uint64_t file[2];
    size_t received;
    uint8_t reply[2 * RECORD_BYTES];
};

static unsigned sizes, files;
static uint64_t operations;

static void require(int is_well, const char *what) {
    if (!is_well) {
        perror(what);
        exit(1);
    }
}

/* Sends one request. */
static void transmit(struct client *client, struct header *header, size_t bytes) {
    header->frame_bytes = htonl(bytes - 4);
    header->message = client->message++;
    header->tree = client->tree;
    header->session = client->session;
    require(send(client->socket, header, bytes, MSG_NOSIGNAL) == (ssize_t)bytes, "send");
}

/* Takes what has come; whether the reply is there, whole. The server may say first that it takes longer. */
static int is_answered(struct client *client, uint32_t status) {
    struct header *header = (struct header *)client->reply;
    ssize_t more = recv(client->socket, client->reply + client->received, sizeof client->reply - client->received, 0);
    require(more > 0, "recv");
    client->received += more;
    for (;;) {
        size_t bytes = 4 + (size_t)ntohl(header->frame_bytes);
        if (client->received < sizeof *header || client->received < bytes)
            return 0;
        if (header->status != PENDING)
            break;
        memmove(client->reply, client->reply + bytes, client->received -= bytes);
    }
    client->received = 0;
    if (header->status != status) {
        fprintf(stderr, "error: command %u of client %u: status 0x%08x\n", header->command, client->number,
                header->status);
        exit(1);
    }
    return 1;
}

static void call(struct client *client, struct header *header, size_t bytes, uint32_t status) {
    transmit(client, header, bytes);
    while (!is_answered(client, status))
        ;
}

/* Gives the bytes of a text in UTF-16. */
static size_t utf16(void *to, const char *text) {
    size_t letters = strlen(text);
    require(letters <= NAME_LETTERS, text);
    for (size_t at = 0; at < letters; at++)
        memcpy((uint8_t *)to + 2 * at, (uint8_t[]){text[at], 0}, 2);
    return 2 * letters;
}

/* A field of an NTLM message: its length twice, and where it lies; the message grows by it. */
static void append(uint8_t *token, size_t field, const void *data, size_t bytes, size_t *end) {
    uint16_t lengths[2] = {bytes, bytes};
    uint32_t at = *end;
    require(*end + bytes <= TOKEN_BYTES, "NTLM message");
    memcpy(token + field, lengths, 4);
    memcpy(token + field + 4, &at, 4);
    memcpy(token + at, data, bytes);
    *end += bytes;
}

/* Answers a challenge by the password; gives the bytes of the answer. */
static size_t authenticate(uint8_t *token, const uint8_t *challenge, const char *user, const char *password) {
    uint8_t hash[16], key[16], response[TOKEN_BYTES] = {0};
    uint16_t name[NAME_LETTERS], upper[NAME_LETTERS], secret[NAME_LETTERS], target_bytes;
    uint32_t target_at;
    MD4((uint8_t *)secret, utf16(secret, password), hash);
    size_t name_bytes = utf16(name, user);
    for (size_t at = 0; at < name_bytes / 2; at++)
        upper[at] = toupper(name[at]);
    HMAC(EVP_md5(), hash, 16, (uint8_t *)upper, name_bytes, key, NULL);
    /* The proof, then what it is of: versions, no time, a client's challenge, what the server said of itself. */
    memcpy(&target_bytes, challenge + 40, 2);
    memcpy(&target_at, challenge + 44, 4);
    size_t bytes = 16 + 28 + target_bytes + 4, end = 64;
    require(bytes <= sizeof response && target_at < TOKEN_BYTES, "NTLM challenge");
    response[16] = response[17] = 1;
    memcpy(response + 44, challenge + target_at, target_bytes);
    memcpy(response + 8, challenge + 24, 8);
    HMAC(EVP_md5(), key, 16, response + 8, bytes - 8, hash, NULL);
    memcpy(response, hash, 16);
    memset(token, 0, 64);
    memcpy(token, "NTLMSSP\0\3", 9);
    append(token, 20, response, bytes, &end);
    append(token, 36, name, name_bytes, &end);
    uint32_t flags = UNICODE_NTLM_EXTENDED;
    memcpy(token + 60, &flags, 4);
    return end;
}

/* Prepares a request for a file or directory; gives its bytes. */
static size_t opening(const char *name, uint32_t access, uint32_t disposition, uint32_t options) {
    create.access = access;
    create.disposition = disposition;
    create.options = options;
    create.name_bytes = utf16(create.name, name);
    return sizeof create - sizeof create.name + create.name_bytes;
}

/* Connects, logs in, and makes the client's directory. */
static void begin(struct client *client, const struct sockaddr_in *address, char **word, const char *password) {
    char name[NAME_LETTERS];
    int yes = 1;
    struct header *reply = (struct header *)client->reply;
    client->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    require(setsockopt(client->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) == 0, "TCP_NODELAY");
    require(connect(client->socket, (const struct sockaddr *)address, sizeof *address) == 0, "connect");
    call(client, &negotiate.header, sizeof negotiate, 0);
    uint32_t hello[8] = {0x4D4C544E, 0x00505353, 1, UNICODE_NTLM_EXTENDED};
    memcpy(setup.token, hello, setup.token_bytes = sizeof hello);
    call(client, &setup.header, sizeof setup - TOKEN_BYTES + setup.token_bytes, MORE_PROCESSING_REQUIRED);
    client->session = reply->session;
    const uint8_t *challenge = memmem(client->reply, TOKEN_BYTES, "NTLMSSP\0\2", 9);
    require(challenge != NULL, "NTLM challenge");
    setup.token_bytes = authenticate(setup.token, challenge, word[3], password);
    call(client, &setup.header, sizeof setup - TOKEN_BYTES + setup.token_bytes, 0);
    snprintf(name, sizeof name, "\\\\127.0.0.1\\%s", word[2]);
    tree.name_bytes = utf16(tree.name, name);
    call(client, &tree.header, sizeof tree - sizeof tree.name + tree.name_bytes, 0);
    client->tree = reply->tree;
    snprintf(name, sizeof name, "clients\\c%05u", client->number);
    call(client, &create.header, opening(name, FOR_ATTRIBUTES, OPEN_OR_MAKE, IS_DIRECTORY), 0);
    memcpy(closing.file, client->reply + FILE_AT, sizeof closing.file);
    call(client, &closing.header, sizeof closing, 0);
}

/* Sends the next request of a pass; whether there was one. */
static int goes_on(struct client *client, int is_read) {
    if (client->index == files)
        return 0;
    unsigned records = 1u << client->index % sizes;
    uint64_t offset = (client->step - 1ull) * RECORD_BYTES;
    operations++;
    if (client->step == 0) {
        char name[NAME_LETTERS];
        snprintf(name, sizeof name, "clients\\c%05u\\c%05u-f%06u", client->number, client->number, client->index);
        transmit(client, &create.header,
                 is_read ? opening(name, FOR_READING, OPEN, 0) : opening(name, FOR_WRITING, MAKE, IS_NO_DIRECTORY));
    } else if (client->step > records) {
        memcpy(closing.file, client->file, sizeof closing.file);
        transmit(client, &closing.header, sizeof closing);
        client->index++;
        client->step = 0;
        return 1;
    } else if (is_read) {
        reading.offset = offset;
        memcpy(reading.file, client->file, sizeof reading.file);
        transmit(client, &reading.header, sizeof reading);
    } else {
        writing.offset = offset;
        memcpy(writing.file, client->file, sizeof writing.file);
        transmit(client, &writing.header, sizeof writing);
    }
    client->step++;
    return 1;
}

/* All clients go through all of their files. */
static void pass(struct client *clients, unsigned count, int epoll, int is_read) {
    struct epoll_event events[EVENTS];
    unsigned left = 0;
    for (unsigned index = 0; index < count; index++) {
        clients[index].index = clients[index].step = 0;
        left += goes_on(&clients[index], is_read);
    }
    while (left > 0) {
        int found = epoll_wait(epoll, events, EVENTS, -1);
        require(found > 0, "epoll_wait");
        for (int index = 0; index < found; index++) {
            struct client *client = events[index].data.ptr;
            if (!is_answered(client, 0))
                continue;
            if (client->step == 1)
                memcpy(client->file, client->reply + FILE_AT, sizeof client->file);
            left -= !goes_on(client, is_read);
        }
    }
}

static double now(clockid_t clock) {
    struct timespec at;
    clock_gettime(clock, &at);
    return at.tv_sec + at.tv_nsec / 1e9;
}

int main(int words, char **word) {
    require(words == 8, "plain_smb PORT SHARE USER PASSWORD_FILE CLIENTS SIZES FILES_OF_SIZE");
    alarm(LIMIT_SECONDS);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(word[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    char password[NAME_LETTERS];
    FILE *text = fopen(word[4], "r");
    require(text != NULL && fscanf(text, "%63s", password) == 1, word[4]);
    unsigned count = atoi(word[5]);
    files = (sizes = atoi(word[6])) * atoi(word[7]);
    struct client *clients = calloc(count, sizeof *clients);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    require(clients != NULL && epoll >= 0, "clients");
    for (unsigned index = 0; index < count; index++) {
        struct client *client = &clients[index];
        client->number = index;
        begin(client, &address, word, password);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = client};
        require(epoll_ctl(epoll, EPOLL_CTL_ADD, client->socket, &event) == 0, "epoll_ctl");
    }
    double seconds = 0, cpu = 0;
    for (int is_read = 0; is_read <= 1; is_read++) {
        double begun = now(CLOCK_MONOTONIC), begun_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        pass(clients, count, epoll, is_read);
        seconds += now(CLOCK_MONOTONIC) - begun;
        cpu += now(CLOCK_PROCESS_CPUTIME_ID) - begun_cpu;
    }
    printf("{\"cpu_us\": %.0f, \"operations\": %lu, \"seconds\": %.6f}\n", cpu * 1e6, operations, seconds);
    return 0;
}
