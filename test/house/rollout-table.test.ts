import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import { table } from '../../semantics/plan/table.ts';
import { updating } from '../golden.ts';

const file = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'docs', 'rollout.md');
const [begin, end] = ['<!-- table: semantics/plan/table.ts -->', '<!-- end of table -->'];

/** What users read is what the code has: `npm run golden` writes the table anew. */
test('the table of facts in docs/rollout.md is the one in the code', async () => {
  const text = readFileSync(file, 'utf8');
  const [before = '', rest = ''] = text.split(begin);
  const [, after = ''] = rest.split(end);
  const columns = ['Pe', 'active', 'Re', 'Su', 'Ha', 'Rd', 'Ab'] as const;
  const rows = table.map(({ label, cells }) => `| ${[label, ...columns.map((c) => cells[c])].join(' | ')} |`);
  const markdown = [`| fact | ${columns.join(' | ')} |`, `|${' --- |'.repeat(8)}`, ...rows].join('\n');
  const wanted = await format(`${before}${begin}\n\n${markdown}\n\n${end}${after}`, {
    parser: 'markdown',
    printWidth: 110,
    singleQuote: true,
  });
  if (updating) writeFileSync(file, wanted);
  else expect(text).toBe(wanted);
});
