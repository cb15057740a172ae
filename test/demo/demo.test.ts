import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { playDemo, type State } from '../../examples/demo/demo.ts';
import { findKubectl } from '../../examples/demo/kubectl-binary.ts';
import { createScreen } from '../../examples/demo/screen.ts';
import { readStates } from '../../examples/demo/states.ts';

const example = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples', 'partition');

const kubectl = findKubectl();

describe('the demo', () => {
  test('proves an image change to be in place', async () => {
    const { claims, printed } = await play(readStates(example));
    expect(claims.filter((claim) => !claim.holds)).toEqual([]);
    expect(claims.length).toBe(7);
    expect(printed).toContain('at most 3 of 5 pods may be on it now');
    expect(printed).not.toContain('$ kubectl');
  });

  test.skipIf(kubectl === undefined)('applies with kubectl over HTTP, and shows what it says', async () => {
    const { claims, printed } = await play(readStates(example), kubectl);
    expect(claims.filter((claim) => !claim.holds)).toEqual([]);
    const blocks = printed.split('\n\n').filter((block) => block.startsWith('$ kubectl'));
    expect(blocks).toHaveLength(6);
    expect(blocks[2]).toBe(
      [
        '$ kubectl apply -R -f manifests -f plans',
        'cloneset.apps.kruise.io/web configured',
        'rolloutplan.plan.kruise.io/cloneset-web created',
      ].join('\n'),
    );
    // Ages are the server's, whose time stands while kubectl is typed: the same at every play.
    expect(printed).toMatch(
      /^rolloutplan\.plan\.kruise\.io\/cloneset-web {3}Succeeded {3}1\/1 {4}3\/5 {20}12s {3}every step is done$/m,
    );
    expect(printed.match(/^pod\/web-\w{5} .*$/gm)?.slice(5, 10)).toEqual([
      'pod/web-25q7b   1/1     Running   1 (11s ago)   17s',
      'pod/web-4kvlj   1/1     Running   1 (11s ago)   17s',
      'pod/web-ncpfj   1/1     Running   1 (5s ago)    17s',
      'pod/web-vpftg   1/1     Running   0             17s',
      'pod/web-vzxj5   1/1     Running   0             17s',
    ]);
  });

  test.skipIf(kubectl === undefined)('prints each line that README shows of it', async () => {
    const { printed } = await play(readStates(example), kubectl);
    const [, shown = ''] = /^```text\n(2\. [^]*?)^```$/m.exec(readFileSync('README.md', 'utf8')) ?? [];
    const lines = shown.split('\n').filter((line) => line !== '');
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !printed.split('\n').includes(line))).toEqual([]);
  });

  test('fails the same proof when the change needs new pods', async () => {
    const { claims } = await play(readStates(example).map(withEnvInsteadOfImage));
    const failed = claims.filter((claim) => !claim.holds).map((claim) => claim.claim);
    expect(failed).toEqual([
      'every pod name is kept',
      'every pod uid is kept',
      'every pod IP is kept',
      'every container restarted exactly once',
      'every container runs another image',
      'no pod was created',
      'no pod was deleted',
    ]);
  });
});

/** The same history with another environment variable where it has another image. */
function withEnvInsteadOfImage(state: State): State {
  const files = Object.entries(state.files).map(([path, text]) => {
    const changed = text.replace(
      'image: nginx:1.27-alpine',
      ['image: nginx:1.25-alpine', 'env:', '  - name: LOG_LEVEL', '    value: debug'].join('\n          '),
    );
    return [path, changed] as const;
  });
  return { ...state, files: Object.fromEntries(files) };
}

async function play(states: readonly State[], client?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-demo-test-'));
  let printed = '';
  const screen = createScreen({
    write: (text) => void (printed += text),
    tty: false,
    color: false,
    columns: () => 80,
  });
  try {
    const claims = await playDemo({ states, screen, folder, pace: 0, kubectl: client });
    return { claims, printed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
