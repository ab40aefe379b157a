// Numbers that the page embeds, and numbers as text.
const page = JSON.parse(document.getElementById("data").textContent);
const Z = 1.959963984540054;

// ---- data -----------------------------------------------------------------------------------
const KINDS = { u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, f8: Float64Array };
function unpack(field) {
  if (!field) return null;
  const text = atob(field.data), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[field.type](bytes.buffer);
}
// Sums over each level and all above it; the last one is 0.
function fromHere(values) {
  const sums = new Float64Array(values.length + 1);
  for (let k = values.length - 1; k >= 0; k--) sums[k] = sums[k + 1] + values[k];
  return sums;
}
function firstAbove(sorted, limit) {
  let low = 0, high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] > limit) high = middle; else low = middle + 1;
  }
  return low;
}
// A sum over n rows with its 95% interval.
function intervalOf(sum, squares, n) {
  const half = Z * Math.sqrt(Math.max(0, squares - sum * sum / n) * n / Math.max(1, n - 1));
  return { money: sum, low: sum - half, high: sum + half };
}
// What is saved compared with the best of several rules, as least_favourable in baselines.py.
function leastFavourable(found) {
  const least = end => Math.min(...found.map(one => one[end]));
  return { money: least("money"), low: least("low"), high: least("high") };
}
// ---- numbers as text --------------------------------------------------------------------------
function number(value, decimals) {
  // Further digits depend on the order of summation, and must not decide how a half is rounded.
  const known = Number(Math.abs(value).toPrecision(12));
  let [whole, rest = ""] = known.toFixed(decimals).split(".");
  whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  rest = rest.replace(/0+$/, "");
  const text = rest ? whole + "." + rest : whole;
  return value < 0 && text !== "0" ? "\u2212" + text : text;
}
const unit = page.style.unit ? " " + page.style.unit : "";
const amount = value => number(value, page.style.total);
const money = (value, decimals = page.style.total) => number(value, decimals) + unit;
const count = value => number(value, page.style.rows);
const share = value => value === null ? "\u2013" : number(100 * value, 1) + " %";
