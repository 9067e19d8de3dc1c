(function () {
  "use strict";
  var tip = document.getElementById("tip");
  var kinds = { data: "data", metadata: "metadata", other: "other use", free: "free", unallocated: "unallocated" };

  function size(bytes) {
    var units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"], at = 0;
    while (bytes >= 1024 && at < units.length - 1) { bytes /= 1024; at += 1; }
    return (bytes >= 100 || bytes === Math.round(bytes) ? bytes.toFixed(0) : bytes.toFixed(1)) + " " + units[at];
  }
  function bytesOf(text) {
    var raw = atob(text), found = new Uint8Array(raw.length);
    for (var i = 0; i < raw.length; i += 1) found[i] = raw.charCodeAt(i);
    return found;
  }
  // The inverse of report/scan/map.py: which cell lies at a column and row.
  function cellAt(order, x, y) {
    var cell = 0, side = 1 << order;
    for (var half = side >> 1; half > 0; half >>= 1) {
      var right = (x & half) > 0 ? 1 : 0, down = (y & half) > 0 ? 1 : 0;
      cell += half * half * ((3 * right) ^ down);
      if (!down) {
        if (right) { x = side - 1 - x; y = side - 1 - y; }
        var kept = x; x = y; y = kept;
      }
    }
    return cell;
  }
  function groupOf(map, offset) {
    var low = 0, high = map.groups.length - 1, found = -1;
    while (low <= high) {
      var middle = (low + high) >> 1;
      if (map.groups[middle] <= offset) { found = middle; low = middle + 1; } else { high = middle - 1; }
    }
    return found >= 0 && offset < map.group_ends[found] ? found : -1;
  }
  function prepare(box) {
    var map = JSON.parse(document.getElementById(box.getAttribute("data-map")).textContent);
    map.canvas = box.querySelector("canvas");
    map.side = 1 << map.order;
    map.canvas.width = map.canvas.height = map.side;
    Object.keys(map.shares).forEach(function (kind) { map.shares[kind] = bytesOf(map.shares[kind]); });
    map.owner = new Int32Array(map.side * map.side);
    var at = 0;
    map.owners.forEach(function (run) { map.owner.fill(run[1], at, at + run[0]); at += run[0]; });
    map.place = new Int32Array(map.side * map.side);
    for (var y = 0; y < map.side; y += 1) {
      for (var x = 0; x < map.side; x += 1) map.place[cellAt(map.order, x, y)] = y * map.side + x;
    }
    return map;
  }
  function words(map, cell) {
    var offset = cell * map.cell_bytes;
    if (offset >= map.size_bytes) return "behind the end of the device";
    var parts = ["at " + size(offset) + " (byte " + offset.toLocaleString("en") + ")"];
    var group = groupOf(map, offset);
    if (group >= 0) parts.push("group " + group);
    var shares = Object.keys(kinds).filter(function (kind) { return map.shares[kind][cell] > 0; }).map(function (kind) {
      return kinds[kind] + " " + Math.max(1, Math.round(map.shares[kind][cell] / 2.55)) + " %";
    });
    parts.push(shares.join(", "));
    if (map.owner[cell] >= 0) parts.push(map.names[map.owner[cell]]);
    return parts.join(" · ");
  }
  function point(map, event) {
    var box = map.canvas.getBoundingClientRect();
    var x = Math.floor((event.clientX - box.left) / box.width * map.side);
    var y = Math.floor((event.clientY - box.top) / box.height * map.side);
    if (x < 0 || y < 0 || x >= map.side || y >= map.side) return;
    tip.textContent = words(map, cellAt(map.order, x, y));
    tip.hidden = false;
    var left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
    var below = event.clientY + 16;
    if (below + tip.offsetHeight > window.innerHeight) below = event.clientY - tip.offsetHeight - 12;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = below + "px";
    event.stopPropagation();
  }
  function highlight(map, extents) {
    var pen = map.canvas.getContext("2d");
    pen.clearRect(0, 0, map.side, map.side);
    pen.fillStyle = "#f0e442";
    extents.forEach(function (extent) {
      var last = Math.floor((extent[0] + Math.max(extent[1], 1) - 1) / map.cell_bytes);
      for (var cell = Math.floor(extent[0] / map.cell_bytes); cell <= last && cell < map.place.length; cell += 1) {
        pen.fillRect(map.place[cell] % map.side, Math.floor(map.place[cell] / map.side), 1, 1);
      }
    });
  }
  var maps = {};
  Array.prototype.forEach.call(document.querySelectorAll(".hilbert"), function (box) {
    var map = prepare(box);
    maps[box.getAttribute("data-map")] = map;
    ["pointermove", "pointerdown"].forEach(function (name) {
      map.canvas.addEventListener(name, function (event) { point(map, event); });
    });
  });
  var buttons = document.querySelectorAll(".show");
  Array.prototype.forEach.call(buttons, function (button) {
    button.addEventListener("click", function () {
      var on = button.getAttribute("aria-pressed") !== "true", map = maps["map-now"];
      Array.prototype.forEach.call(buttons, function (each) { each.setAttribute("aria-pressed", "false"); });
      button.setAttribute("aria-pressed", String(on));
      highlight(map, on ? map.files[Number(button.getAttribute("data-file"))] : []);
    });
  });
})();
