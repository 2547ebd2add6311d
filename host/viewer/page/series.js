// What was measured, step by step. At most 4096 bins of least, largest and last values: when they are full, two become one.
const most = 4096, recent = 11;

export class Series {
  constructor(curves) {
    this.curves = curves, this.rows = [], this.clear();
  }
  clear() {
    this.steps = [], this.rows.length = 0, this.per = 1, this.inLast = 0;
    this.bins = this.curves.map(() => ({ low: [], high: [], last: [] }));
  }
  get count() { return this.steps.length; }

  // Rows [step, value, value, …]; no number is null.
  add(rows) {
    for (const [step, ...values] of rows) {
      const row = { step: Number(step), values: this.curves.map((_, i) => toNumber(values[i])) };
      this.rows.push(row);
      if (this.rows.length > recent) this.rows.shift();
      this.put(row);
    }
  }
  put({ step, values }) {
    const open = this.inLast > 0 && this.inLast < this.per;
    if (!open && this.count === most) return this.halve(), this.put({ step, values });
    const at = open ? this.count - 1 : this.count;
    this.steps[at] = step, this.inLast = open ? this.inLast + 1 : 1;
    values.forEach((value, i) => {
      const { low, high, last } = this.bins[i];
      low[at] = open ? least(low[at], value) : value, high[at] = open ? largest(high[at], value) : value, last[at] = value;
    });
  }
  halve() {
    const half = list => list.filter((_, i) => i % 2);
    for (const bin of this.bins) {
      bin.low = half(bin.low.map((low, i) => i % 2 ? least(bin.low[i - 1], low) : low));
      bin.high = half(bin.high.map((high, i) => i % 2 ? largest(bin.high[i - 1], high) : high));
      bin.last = half(bin.last);
    }
    this.steps = half(this.steps), this.per *= 2, this.inLast = this.per;
  }

  // The newest value of a curve and how it changed over the last rows, at most ten.
  newest(i) {
    const first = this.rows[0], last = this.rows.at(-1);
    return last ? { value: last.values[i], change: last.values[i] - first.values[i] } : null;
  }
  get changeOver() { return this.rows.length > 1 ? this.rows.at(-1).step - this.rows[0].step : 0; }

  // The bin whose step is nearest.
  nearest(step) {
    let from = 0, end = this.count - 1;
    while (from < end) {
      const middle = from + end >> 1;
      if (this.steps[middle] < step) from = middle + 1;
      else end = middle;
    }
    return from > 0 && step - this.steps[from - 1] < this.steps[from] - step ? from - 1 : from;
  }
}

const toNumber = value => value === null || value === undefined ? NaN : Number(value);
const least = (a, b) => a <= b || Number.isNaN(b) ? a : b;
const largest = (a, b) => a >= b || Number.isNaN(b) ? a : b;
