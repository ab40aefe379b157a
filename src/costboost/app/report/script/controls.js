// Sliders and boxes: each control has a value in use, and a kind.
const field = name => document.getElementById(name);
const percent = value => number(100 * value, 1);
// Costs: the slider multiplies the cost given, beyond that of the right prediction.
const log = right => ({
  toSlider: (value, base) => Math.min(200, Math.max(-200, Math.round(100 * Math.log10((value - right) / (base - right))))),
  fromSlider: (place, base) => place === 0 ? base : Number((right + Number(((base - right) * 10 ** (place / 100)).toPrecision(3))).toPrecision(12)),
  box: plain, from: value => value, must: "a cost must be above " + (right ? plain(right) + ", that of the right prediction" : "0"),
  fits: value => value > right && Number.isFinite(value),
});
const linear = { toSlider: value => 100 * value, fromSlider: place => place / 100, box: percent, from: value => value / 100, fits: value => value >= 0 && value <= 100 };
const KINDS_OF_CONTROLS = {
  miss: { ...log(page.right[0]), text: cost },
  alarm: { ...log(page.right[1]), text: cost },
  money: { ...log(0), text: value => plain(value) + unit },
  goal: { ...linear, must: "a goal is from 0 to 100 %", text: value => value ? percent(value) + " %" : "no goal" },
  rate: { ...linear, must: "a rate is from 0 to 100 %", text: value => percent(value) + " %" },
  count: {
    toSlider: value => value, fromSlider: place => place, box: plain, from: value => value,
    fits: value => Number.isInteger(value) && value >= 0, must: "a number of reviews is whole and at least 0",
    text: value => value < page.n ? number(value, 0) : "no limit",
  },
};
const kinds = { fn: "miss", fp: "alarm", goal: "goal" };
const base = { fn: page.fn, fp: page.fp, goal: 0 };
if (page.reviewP) {
  Object.assign(kinds, { review: "money", capacity: "count", recall: "rate", specificity: "rate" });
  Object.assign(base, { review: page.review.cost, capacity: page.n, recall: page.review.recall, specificity: page.review.specificity });
}
const now = { ...base }, settled = { ...base };  // in use, and before a box is edited
const kindOfControl = name => KINDS_OF_CONTROLS[kinds[name]];
const reviewed = () => page.reviewP && field("reviewed").checked;
function put(name, value, typed) {
  now[name] = value;
  if (!typed) settled[name] = value;
  const slider = field(name), { toSlider, text, box } = kindOfControl(name);
  slider.value = toSlider(value, base[name]);
  slider.setAttribute("aria-valuetext", text(value));
  if (!typed) field(name + "-box").value = box(value);
  accept(name);
}
function set(name, value, typed) {
  put(name, value, typed);
  show(now, reviewed());
}
for (const name in kinds)
  field(name).addEventListener("input", event => set(name, kindOfControl(name).fromSlider(Number(event.target.value), base[name])));

// ---- boxes ------------------------------------------------------------------------------------
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
  const box = field(name + "-box"), { must, text } = kindOfControl(name), typed = box.validity.badInput ? "This" : box.value;
  field(name + "-refused").textContent = typed && `${typed} is not used: ${must}. In use: ${text(now[name])}.`;
}
for (const name in kinds) {
  const box = field(name + "-box"), { fits, from } = kindOfControl(name);
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
const reset = () => {
  for (const name in kinds) put(name, base[name]);
  show(now, reviewed());
};
field("reset").addEventListener("click", reset);
if (page.reviewP) field("reviewed").addEventListener("change", () => {
  for (const id of ["review-controls", "review-result", "review-live"]) if (field(id)) field(id).hidden = !reviewed();
  show(now, reviewed());
});
field("controls").hidden = false;
reset();
document.documentElement.dataset.ready = "true";
