// A third action: a person reviews the row. Decides as ActionClassifier with a capacity does.
const TIE = 1e-12;
const NEGATIVE = 0, POSITIVE = 1, REVIEW = 2;

// Expected cost of each action beyond the least, exactly 0 for ties; as beyond_least in costs.py.
function beyondLeast(p, ifPositive, ifNegative, beyond) {
  const q = 1 - p;
  const least = values => values.indexOf(Math.min(...values));
  const differences = best => ifPositive.map((cost, a) =>
    p * (cost - ifPositive[best]) + q * (ifNegative[a] - ifNegative[best]));
  let best = least(ifPositive.map((cost, a) => p * cost + q * ifNegative[a]));
  best = least(differences(best));
  const found = differences(best);
  for (let a = 0; a < 3; a++) {
    const size = p * Math.abs(ifPositive[a] - ifPositive[best]) + q * Math.abs(ifNegative[a] - ifNegative[best]);
    beyond[a] = found[a] <= TIE * size ? 0 : found[a];
  }
}

class Reviews {
  constructor() {
    this.p = unpack(page.reviewP);
    this.limit = unpack(page.reviewLimit) || this.p;
    this.positive = unpack(page.reviewPositive);
    this.rowFn = unpack(page.reviewFn);
    this.rowFp = unpack(page.reviewFp);
    this.size = this.p.length;
  }
  costs(i, fn, fp) {
    return this.rowFn ? [fn * this.rowFn[i], fp * this.rowFp[i]] : [fn, fp];
  }
  // The action of each row, and by how much the expected cost would fall with one more review.
  decide(fn, fp, { review, capacity, recall, specificity }, probability = i => this.p[i]) {
    const actions = new Uint8Array(this.size), saving = new Float64Array(this.size), beyond = [0, 0, 0];
    let wanted = 0;
    for (let i = 0; i < this.size; i++) {
      const [miss, alarm] = this.costs(i, fn, fp);
      beyondLeast(probability(i), [miss, 0, (1 - recall) * miss + review], [0, alarm, (1 - specificity) * alarm + review], beyond);
      const other = beyond[POSITIVE] < beyond[NEGATIVE] ? POSITIVE : NEGATIVE;
      saving[i] = beyond[other];  // of a review, if that costs least
      actions[i] = other;
      if (beyond[REVIEW] < beyond[other]) wanted++; else saving[i] = 0;
    }
    // Rows with the greatest savings first; of equal ones, those that come first.
    const sorted = saving.filter(value => value > 0).sort().reverse(), most = Math.min(capacity, wanted);
    const last = most ? sorted[most - 1] : Infinity;
    let equal = most - sorted.filter(value => value > last).length;
    for (let i = 0; i < this.size; i++) {
      if (saving[i] > last || (most && saving[i] === last && equal-- > 0)) actions[i] = REVIEW;
    }
    return { actions, price: wanted > capacity ? sorted[capacity] : 0 };
  }
  // Costs of the rows for their true classes; of a review, expected over the errors of the reviewer.
  paid(action, fn, fp, { review, recall, specificity }) {
    const paid = new Float64Array(this.size);
    for (let i = 0; i < this.size; i++) {
      const [miss, alarm] = this.costs(i, fn, fp), what = action(i, miss, alarm);
      if (what === REVIEW) paid[i] = (this.positive[i] ? (1 - recall) * miss : (1 - specificity) * alarm) + review;
      else if (what !== this.positive[i]) paid[i] = this.positive[i] ? miss : alarm;
    }
    return paid;
  }
  texts(fn, fp, settings) {
    const { actions, price } = this.decide(fn, fp, settings), numberOf = [0, 0, 0];
    for (const action of actions) numberOf[action]++;
    const paid = action => this.paid(action, fn, fp, settings), sum = values => values.reduce((a, b) => a + b, 0);
    const own = paid(i => actions[i]), none = paid(() => NEGATIVE), all = paid(() => POSITIVE);
    const without = paid((i, miss, alarm) => this.limit[i] > thresholdOf(miss, alarm) ? POSITIVE : NEGATIVE);
    // Without a model every row has the same probability; reviews are then by costs alone, too.
    const byCosts = this.decide(fn, fp, settings, () => page.share).actions;
    const less = this.interval(without, own);
    const saved = leastFavourable([none, all, paid(i => byCosts[i])].map(other => this.interval(other, own)));
    const total = sum(own) + page.base;
    return {
      "review-cost": money(total), "review-each": money(total / this.size, page.style.mean),
      "review-rows": count(numberOf[REVIEW]), "review-share": share(numberOf[REVIEW] / this.size),
      "review-positive": count(numberOf[POSITIVE]), "review-negative": count(numberOf[NEGATIVE]),
      "review-less": money(less.money), "review-less-low": amount(less.low), "review-less-high": money(less.high),
      "review-saved": money(saved.money), "review-saved-low": amount(saved.low), "review-saved-high": money(saved.high),
      "review-price": money(price, page.style.mean),
    };
  }
  interval(other, own) {
    let sum = 0, squares = 0;
    for (let i = 0; i < this.size; i++) { const less = other[i] - own[i]; sum += less; squares += less * less; }
    return intervalOf(sum, squares, this.size);
  }
}
let reviews = null;  // made when it is used first
function reviewTexts(fn, fp, settings) {
  reviews = reviews || new Reviews();
  return reviews.texts(fn, fp, settings);
}
