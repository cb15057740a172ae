import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readTree, type State } from './demo.ts';

/** The git states of an example: its numbered folders in order, without their committed plans. */
export function readStates(example: string): State[] {
  return readdirSync(example, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && /^[0-9]+-/.test(entry.name))
    .map((entry) => entry.name)
    .sort()
    .map((name) => ({
      title: name.replace(/^[0-9]+-/, '').replaceAll('-', ' '),
      files: Object.fromEntries(
        Object.entries(readTree(join(example, name), '')).filter(([path]) => !path.startsWith('plans/')),
      ),
    }));
}
