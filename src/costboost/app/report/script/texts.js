// Costs, savings and verdict at other costs, as text; interactive.py formats the same texts.
// ---- predictions ------------------------------------------------------------------------------
function outcome(way, fn, fp) {
  const positive = held.predicted(way);
  const misses = totals.hits - positive.hits;
  const missMoney = fn * (totals.hitMoney - positive.hitMoney), alarmMoney = fp * positive.alarmMoney;
  return {
    hits: positive.hits, misses, alarms: positive.alarms, rejects: totals.alarms - positive.alarms,
    missMoney, alarmMoney, cost: missMoney + alarmMoney,
  };
}
function interval(way, other, fn, fp) {
  const { sum, squares } = held.saved(way, other, fn, fp);
  return intervalOf(sum, squares, page.n);
}
// Kind of a result by the interval of the savings, as kind_of in words.py.
function kindOf({ money, low, high }, least) {
  if (!least) return "free";
  if (money === 0 && high === 0) return "same";
  if (low > 0) return "saves";
  if (high < 0) return "loses";
  return money >= -1e-9 * least ? "gain" : "loss";
}
function verdictOf(saved, least, best) {
  const [look, sentence] = page.verdicts[kindOf(saved, least)];
  const total = amount(Math.abs(saved.money)) + (unit || " units of cost");
  return { look, text: sentence.replace("{amount}", () => total).replace("{other}", () => page.rules[best]) };
}
function texts(fn, fp, goal) {
  const way = held.decide(fn, fp, goal), now = outcome(way, fn, fp);
  const ways = { model: way, blind: held.blind(), none: held.none(), all: held.everybody() };
  if (page.rules.costs) ways.costs = held.byCosts(fn, fp);
  const costs = {}, found = {}, compared = [];
  for (const name in ways) {
    const other = outcome(ways[name], fn, fp);
    costs[name] = other.cost;
    found[name + "-cost"] = amount(other.cost + page.base);
    found[name + "-misses"] = count(other.misses);
    found[name + "-alarms"] = count(other.alarms);
    if (name === "model") continue;
    const less = interval(way, ways[name], fn, fp);
    if (name in page.rules) compared.push(less);
    found[name + "-saved"] = amount(less.money);
    found[name + "-low"] = amount(less.low);
    found[name + "-high"] = amount(less.high);
  }
  const best = Object.keys(page.rules).reduce((one, other) => costs[other] < costs[one] ? other : one);
  const saved = leastFavourable(compared);
  const floor = page.least ? fn * page.least[0] + fp * page.least[1] : 0, least = costs[best] - floor;
  const predicted = now.hits + now.alarms, verdict = verdictOf(saved, least, best);
  const limit = page.mode === "fixed" ? "fixed" : way.threshold === null ? "by row" : number(way.threshold, 4);
  Object.assign(found, {
    verdict: verdict.text, threshold: way.lowered ? limit + " (goal)" : limit,
    cost: money(now.cost + page.base), mean: money((now.cost + page.base) / weight, page.style.mean),
    saved: money(saved.money), "saved-low": amount(saved.low), "saved-high": money(saved.high),
    "saved-share": share(least ? saved.money / least : null),
    hits: count(now.hits), misses: count(now.misses), alarms: count(now.alarms), rejects: count(now.rejects),
    "miss-money": money(now.missMoney), "alarm-money": money(now.alarmMoney),
    recall: share(now.hits / totals.hits), precision: share(predicted ? now.hits / predicted : null),
    fpr: share(now.alarms / totals.alarms), "now-fn": cost(fn + page.right[0]), "now-fp": cost(fp + page.right[1]),
  });
  const [ofPositives, ofNegatives] = page.greatest || [totals.hitMoney, totals.alarmMoney];
  const greatest = fn * ofPositives + fp * ofNegatives;
  const points = {
    skew: [fp * ofNegatives / greatest, now.cost / greatest],
    roc: [now.alarms / totals.alarms, now.hits / totals.hits],
  };
  return { found, costs, points, threshold: way.threshold, look: verdict.look };
}
const plain = value => String(Number(value.toPrecision(12)));
const grouped = text => {
  const [whole, ...rest] = text.split(".");
  return text.includes("e") ? text : [whole.replace(/\B(?=(\d{3})+$)/g, ","), ...rest].join(".");
};
const cost = value => page.perRow ? "\u00d7 " + plain(value) : grouped(plain(value)) + unit;
