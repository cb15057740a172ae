import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { main } from '../../cli/dispatch.ts';
import { nodeHost } from '../../cli/machine/node-host.ts';
import { readTree } from '../../examples/demo/demo.ts';
import { updating } from '../golden.ts';

const examples = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'examples');
const scratch = mkdtempSync(join(tmpdir(), 'kruise-examples-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const histories = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    states: readdirSync(join(examples, name))
      .filter((s) => /^[0-9]+-/.test(s))
      .sort(),
  }))
  .filter(({ states }) => states.length > 0);

describe('the plans committed in examples/ are what kruise plan writes', () => {
  test('there are histories to look at', () => {
    expect(histories.map(({ name }) => name)).toContain('partition');
  });

  for (const { name, states } of histories) {
    for (const [index, state] of states.entries()) {
      test(`${name}/${state}`, async () => {
        const head = join(scratch, name, state);
        const base = join(scratch, name, `${state}-base`);
        mkdirSync(base, { recursive: true });
        cpSync(join(examples, name, state), head, { recursive: true });
        rmSync(join(head, 'plans'), { recursive: true, force: true });
        const before = states[index - 1];
        if (before !== undefined) cpSync(join(examples, name, before), base, { recursive: true });
        if (before !== undefined && readdirSync(base).includes('plans')) {
          cpSync(join(base, 'plans'), join(head, 'plans'), { recursive: true });
        }
        const said: string[] = [];
        const host = {
          ...nodeHost(),
          cwd: head,
          env: {},
          stdout: (text: string) => void said.push(text),
          stderr: (text: string) => void said.push(text),
        };
        expect(await main(host, ['plan', '--base-dir', base]), said.join('')).toBe(0);
        if (updating) cpSync(head, join(examples, name, state), { recursive: true });
        expect(plansOf(head)).toEqual(plansOf(join(examples, name, state)));
      });
    }
  }
});

function plansOf(folder: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(readTree(folder, '')).filter(([path]) => path.startsWith('plans/')),
  );
}
