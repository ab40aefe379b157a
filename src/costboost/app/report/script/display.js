// Puts texts into the page, and moves points and lines.
// ---- display ----------------------------------------------------------------------------------
function place(svg, x, y) {
  const [left, right, bottom, top] = svg.dataset.frame.split(",").map(Number);
  const [x0, x1, y0, y1] = svg.dataset.axes.split(",").map(Number);
  const inside = (v, low, high) => Math.min(Math.max(v, low), high);
  return [
    left + (inside(x, x0, x1) - x0) / (x1 - x0) * (right - left),
    bottom - (inside(y, y0, y1) - y0) / (y1 - y0) * (bottom - top),
  ];
}
function show(settings, reviewed) {
  // Costs beyond those of right predictions decide, and are added up.
  const fn = settings.fn - page.right[0], fp = settings.fp - page.right[1], { goal } = settings;
  const { found, costs, points, threshold, look } = texts(fn, fp, goal);
  if (reviewed) Object.assign(found, reviewTexts(fn, fp, settings));
  for (const node of document.querySelectorAll("[data-verdict]")) node.className = "verdict " + look;
  for (const node of document.querySelectorAll("[data-out]")) node.textContent = found[node.dataset.out] ?? "\u2013";
  const most = Math.max(...Object.values(costs)) || 1;
  for (const bar of document.querySelectorAll("[data-bar]")) bar.style.width = Math.max(0, 100 * costs[bar.dataset.bar] / most) + "%";
  for (const dot of document.querySelectorAll("[data-point]")) {
    const svg = dot.closest("svg"), [value, height] = points[dot.dataset.point];
    const [x, y] = place(svg, value, height);
    dot.classList.toggle("beyond", height > Number(svg.dataset.axes.split(",")[3]));
    dot.setAttribute("cx", x.toFixed(1));
    dot.setAttribute("cy", y.toFixed(1));
  }
  for (const line of document.querySelectorAll("[data-upright]")) {
    const [x] = place(line.closest("svg"), threshold, 0);
    line.setAttribute("x1", x.toFixed(1));
    line.setAttribute("x2", x.toFixed(1));
  }
}
