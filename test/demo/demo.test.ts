import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { playDemo, type State } from '../../examples/demo/demo.ts';
import { createScreen } from '../../examples/demo/screen.ts';
import { readStates } from '../../examples/demo/states.ts';

const example = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples', 'partition');

describe('the demo', () => {
  test('proves an image change to be in place', async () => {
    const { claims, printed } = await play(readStates(example));
    expect(claims.filter((claim) => !claim.held)).toEqual([]);
    expect(claims.length).toBe(7);
    expect(printed).toContain('at most 3 of 5 pods may be on it now');
  });

  test('fails the same proof when the change needs new pods', async () => {
    const { claims } = await play(readStates(example).map(withEnvInsteadOfImage));
    const failed = claims.filter((claim) => !claim.held).map((claim) => claim.claim);
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

async function play(states: readonly State[]) {
  const folder = mkdtempSync(join(tmpdir(), 'kruise-demo-test-'));
  let printed = '';
  const screen = createScreen({
    write: (text) => void (printed += text),
    tty: false,
    color: false,
    columns: () => 80,
  });
  try {
    const claims = await playDemo({ states, screen, folder, pace: 0 });
    return { claims, printed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
