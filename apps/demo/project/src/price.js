// Prices are whole cents.
export function total(items) {
  return items.reduce((sum, item) => sum + item.cents, 0);
}

export function withDiscount(cents, percent) {
  return Math.round(cents * (1 + percent / 100));
}
