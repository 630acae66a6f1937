import { parentPort, workerData } from 'node:worker_threads';
import Turndown from 'turndown';

const turndown = new Turndown({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});
turndown.remove(['script', 'style', 'noscript', 'iframe', 'title', 'object', 'form']);
// Pictures written into their address would drown the text.
turndown.addRule('short-images', {
  filter: (node) => node.nodeName === 'IMG' && /^data:/i.test(node.getAttribute('src') ?? ''),
  replacement: (_content, node) =>
    `![${'getAttribute' in node ? (node.getAttribute('alt') ?? '') : ''}]()`,
});

parentPort?.postMessage(turndown.turndown(String(workerData)).trim());
