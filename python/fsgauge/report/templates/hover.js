(function () {
  "use strict";
  var tip = document.getElementById("tip");
  var marks = document.querySelectorAll("svg .hover");
  Array.prototype.forEach.call(marks, function (mark) {
    var title = mark.querySelector("title");
    if (!title) return;
    mark.setAttribute("aria-label", title.textContent);
    title.remove();
  });
  function show(event) {
    var mark = event.target.closest ? event.target.closest(".hover") : null;
    if (!mark) { tip.hidden = true; return; }
    tip.textContent = mark.getAttribute("aria-label");
    tip.hidden = false;
    var left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
    var below = event.clientY + 16;
    if (below + tip.offsetHeight > window.innerHeight) below = event.clientY - tip.offsetHeight - 12;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = below + "px";
  }
  // Paper unfolds nothing: what is folded on the screen is printed, and folded again. Tables of all
  // metrics would be most of the sheets; the style leaves out those that are folded.
  var folded = [];
  window.addEventListener("beforeprint", function () {
    folded = Array.prototype.slice.call(document.querySelectorAll("details:not([open]):not(#numbers details)"));
    folded.forEach(function (part) { part.open = true; });
  });
  window.addEventListener("afterprint", function () {
    folded.forEach(function (part) { part.open = false; });
    folded = [];
  });
  document.addEventListener("pointermove", show);
  document.addEventListener("pointerdown", show);
  document.addEventListener("scroll", function () { tip.hidden = true; }, { passive: true });
})();
