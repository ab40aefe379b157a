// Sliders and boxes.
// ---- sliders ----------------------------------------------------------------------------------
const base = { fn: page.fn, fp: page.fp };
const now = { fn: page.fn, fp: page.fp, goal: 0 };
const field = name => document.getElementById(name);
const atPlace = (name, k) => k === 0 ? base[name] : Number((base[name] * 10 ** (k / 100)).toPrecision(3));
const placeOf = (name, value) => Math.min(200, Math.max(-200, Math.round(100 * Math.log10(value / base[name]))));
const settled = { ...now };  // values before a box is edited
function set(name, value, typed) {
  now[name] = value;
  if (!typed) settled[name] = value;
  const slider = field(name), box = field(name + "-box");
  if (name === "goal") {
    slider.value = 100 * value;
    slider.setAttribute("aria-valuetext", value ? number(100 * value, 1) + " % of the positives found" : "no goal");
    if (!typed) box.value = number(100 * value, 1);
  } else {
    slider.value = placeOf(name, value);
    slider.setAttribute("aria-valuetext", cost(value));
    if (!typed) box.value = plain(value);
  }
  accept(name);
  show(now.fn, now.fp, now.goal);
}
for (const name of ["fn", "fp"])
  field(name).addEventListener("input", event => set(name, atPlace(name, Number(event.target.value))));
field("goal").addEventListener("input", event => set("goal", Number(event.target.value) / 100));

// ---- boxes ------------------------------------------------------------------------------------
const isCost = value => value > 0 && Number.isFinite(value), isPercent = value => value >= 0 && value <= 100;
const boxes = {
  fn: { fits: isCost, from: value => value, must: "a cost must be above 0", text: cost },
  fp: { fits: isCost, from: value => value, must: "a cost must be above 0", text: cost },
  goal: { fits: isPercent, from: value => value / 100, must: "a goal is from 0 to 100 %", text: value => value ? number(100 * value, 1) + " %" : "no goal" },
};
function accept(name) {
  field(name + "-box").removeAttribute("aria-invalid");
  field(name + "-refused").textContent = "";
}
// Return to the value before the box was edited, not to a valid beginning of what was typed.
function refuse(name) {
  set(name, settled[name], true);
  field(name + "-box").setAttribute("aria-invalid", "true");
}
function explain(name) {
  const box = field(name + "-box"), { must, text } = boxes[name], typed = box.validity.badInput ? "This" : box.value;
  field(name + "-refused").textContent = typed && `${typed} is not used: ${must}. In use: ${text(now[name])}.`;
}
for (const [name, { fits, from }] of Object.entries(boxes)) {
  const box = field(name + "-box");
  box.addEventListener("input", () => {
    const value = box.value === "" ? NaN : Number(box.value);
    if (fits(value)) return set(name, from(value), true);
    refuse(name);
    if (value !== 0) explain(name);  // 0 may be the beginning of 0.5
  });
  // After editing, the box shows the value in use, and the text below it the reason.
  box.addEventListener("change", () => {
    if (box.hasAttribute("aria-invalid")) explain(name);
    const why = field(name + "-refused").textContent;
    set(name, now[name]);
    field(name + "-refused").textContent = why;
  });
}
field("reset").addEventListener("click", () => { set("fn", base.fn); set("fp", base.fp); set("goal", 0); });
field("controls").hidden = false;
set("fn", base.fn); set("fp", base.fp); set("goal", 0);
document.documentElement.dataset.ready = "true";
