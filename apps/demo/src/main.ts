import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { folderStore } from '@toolgate/core';
import { createStandardToolgate } from 'toolgate';
import { createDialog } from './ask.ts';
import { changesBetween } from './changes.ts';
import { callWithId, playTurn } from './play.ts';
import { heading, lineOf, type CallReport } from './report.ts';
import { readScript } from './script.ts';

/** Plays an agent's work on a copy of a small project. Exit 0 only if every call ended as the script says. */
async function demo(asJson: boolean): Promise<boolean> {
  const script = readScript(new URL('../script.json', import.meta.url));
  const original = fileURLToPath(new URL('../project', import.meta.url));
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-demo-'));
  const project = join(folder, 'project');
  cpSync(original, project, { recursive: true });
  const print = (text: string) => void (asJson || process.stdout.write(`${text}\n`));
  const denied = new Set<string>();
  const dialog = createDialog(
    (id) => callWithId(script, id)?.answer ?? 'deny',
    (id, behavior) => void (behavior === 'deny' && denied.add(id)),
  );
  const gate = await createStandardToolgate({
    cwd: project,
    home: folder,
    trust: true,
    overrides: { store: folderStore({ parent: folder }) },
    dialog,
    onDiagnostic: ({ message }) => process.stderr.write(`  note: ${message}\n`),
  });
  try {
    print(`An agent works on a copy of a small project, ${project}\n\n${heading}`);
    const reports: CallReport[] = [];
    for (const [index, turn] of script.turns.entries()) {
      print(`\n${index + 1}. ${turn.say}`);
      const played = await playTurn(
        gate,
        turn,
        index,
        (id, call) => (denied.has(id) && call.expectIfDenied) || call.expect,
      );
      for (const report of played) print(lineOf(report));
      if (asJson) for (const report of played) process.stdout.write(`${JSON.stringify(report)}\n`);
      reports.push(...played);
    }
    const wrong = reports.filter(({ asExpected }) => !asExpected).length;
    print(`\n${script.closing}\n\n${changesBetween(original, project)}`);
    print(
      `${reports.length} calls, ${wrong === 0 ? 'all as the script says' : `${wrong} not as the script says`}.`,
    );
    return wrong === 0;
  } finally {
    await gate.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

process.exitCode = (await demo(process.argv.includes('--json'))) ? 0 : 1;
