import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { guardOutput } from '../../cli/machine/output-guard.ts';
import { playDemo } from './demo.ts';
import { findKubectl } from './kubectl-binary.ts';
import { createScreen } from './screen.ts';
import { readStates } from './states.ts';

/** Slow enough to watch on a terminal; at full speed in a pipe. */
const PACE = 0.6;

const example = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples', 'partition');
const tty = process.stdout.isTTY === true;
const screen = createScreen({
  write: (text) => void process.stdout.write(text),
  tty,
  color: tty && process.env['NO_COLOR'] === undefined,
  columns: () => process.stdout.columns,
});
const folder = mkdtempSync(join(tmpdir(), 'kruise-demo-'));
const tidyUp = (): void => rmSync(folder, { recursive: true, force: true });
// With a closed pipe the program ends as others do: `npm run demo | head`.
process.once('exit', tidyUp);
guardOutput();
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.once(signal, () => {
    tidyUp();
    process.exit(code);
  });
}
try {
  screen.text('An image change, the whole way: from two git states to pods updated in place.');
  screen.text('The cluster is the sandbox: a Kubernetes API in memory, with nodes and kubelets.');
  const kubectl = findKubectl();
  if (kubectl === undefined)
    screen.text('No kubectl of the development dependencies runs here: what it would show is left out.');
  const claims = await playDemo({
    states: readStates(example),
    screen,
    folder,
    pace: tty ? PACE : 0,
    kubectl,
  });
  const held = claims.every((claim) => claim.holds);
  screen.text(held ? '\nEvery claim holds.' : '\nThe proof FAILED.');
  process.exitCode = held ? 0 : 1;
} catch (error) {
  const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  screen.text(`\nThe demo could not be played: ${missing ? 'it needs git' : String(error)}`);
  process.exitCode = 1;
} finally {
  tidyUp();
}
