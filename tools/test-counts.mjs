// Prints "PASSED FAILED" from vitest's JSON report, for .ci/run: `test-counts.mjs FILE STATUS`.
import { readFileSync } from 'node:fs';

const [file, status] = process.argv.slice(2);
const report = JSON.parse(readFileSync(file, 'utf8'));
const brokenFiles = report.testResults.filter(
  (result) =>
    result.status === 'failed' && !result.assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + brokenFiles;
const silent = failed === 0 && (status !== '0' || report.numPassedTests === 0);
console.log(report.numPassedTests, silent ? 1 : failed);
