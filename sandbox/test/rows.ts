import { readFileSync } from 'node:fs';

/** The rows of a table of cases, most of them recorded of a real server: `rows/NAME.jsonl` has one in each line. */
export function readRows<Row>(name: string): Row[] {
  const text = readFileSync(new URL(`rows/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}
