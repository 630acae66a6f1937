import type { ReadOutput } from '@toolgate/tools-builtin/read';

/** The file of a result that must be of this kind. */
function fileOf<T extends ReadOutput['type']>(type: T) {
  return (data: ReadOutput) => {
    if (data.type !== type) throw new Error(`expected ${type}, got ${data.type}`);
    return data.file as Extract<ReadOutput, { type: T }>['file']; // by its type, just compared
  };
}

export const textOf = fileOf('text');
export const imageOf = fileOf('image');
export const pdfOf = fileOf('pdf');
export const notebookOf = fileOf('notebook');

/** A PDF document whose pages hold these texts. */
export function pdfWith(texts: readonly string[]): Buffer {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${texts.length} /Kids [${texts.map((_, i) => `${4 + 2 * i} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...texts.flatMap((text, i) => {
      const stream = text === '' ? '' : `BT /F1 12 Tf 72 720 Td (${text}) Tj ET`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ];
    }),
  ];
  let body = '%PDF-1.4\n';
  const places = objects.map((object, i) => {
    const at = body.length;
    body += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = body.length;
  const rows = places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  return Buffer.from(
    `${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`,
  );
}
