// Makes a sheet fit its paper: first a lower picture, then fewer lines, counted, then smaller type.
(() => {
  const main = document.querySelector("main");
  const limit = (255 / 25.4) * 96;
  const isTooHigh = () => main.getBoundingClientRect().height > limit;
  for (let height = 78; isTooHigh() && height > 46; height -= 4) {
    document.body.style.setProperty("--picture-height", `${height}mm`);
  }
  const parts = [...document.querySelectorAll(".cut")].map((part) => ({
    rows: [...part.querySelectorAll("tbody tr")],
    more: part.appendChild(document.createElement("p")),
    cut: 0,
  }));
  for (const part of parts) part.more.className = "more";
  while (isTooHigh()) {
    const longest = parts.reduce((a, b) => (b.rows.length > a.rows.length ? b : a), { rows: [] });
    if (longest.rows.length <= 3) break;
    longest.rows.pop().remove();
    longest.cut += 1;
    longest.more.textContent = `${longest.cut} more ${longest.cut === 1 ? "line" : "lines"} in report.html`;
  }
  const width = main.getBoundingClientRect().width;
  for (let zoom = 0.95; isTooHigh() && zoom > 0.5; zoom -= 0.05) {
    main.style.zoom = zoom;
    main.style.width = `${width / zoom}px`; // smaller type, and the same width on paper
  }
})();
