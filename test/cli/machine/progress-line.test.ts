import { expect, test } from 'vitest';
import { createProgressLine } from '../../../cli/machine/progress-line.ts';
import { runPlan } from '../../../cli/plan/plan.ts';
import { cloneSet } from '../../compiler/world/manifests.ts';
import { memoryHost } from '../world/memory-host.ts';

/** A terminal at a time, and what it was sent. */
function terminal(width = 80) {
  const sent: string[] = [];
  const time = { ms: 0 };
  const line = createProgressLine({
    write: (text) => sent.push(text),
    columns: () => width,
    elapsed: () => time.ms,
  });
  return { sent, time, line };
}

const ERASE = '\r\u001b[2K';

test('a run of half a second shows nothing, and makes no text', () => {
  const { sent, time, line } = terminal();
  for (time.ms = 0; time.ms < 500; time.ms += 7) line.show(() => expect.fail('a text was made'));
  line.clear();
  expect(sent).toEqual([]);
});

test('a longer one shows a line, ten times a second at most, and erases it', () => {
  const { sent, time, line } = terminal();
  for (time.ms = 500; time.ms < 1_500; time.ms += 1) line.show(() => `at ${time.ms}`);
  expect(sent).toEqual(Array.from({ length: 10 }, (_, index) => `${ERASE}at ${500 + index * 100}`));
  line.clear();
  line.clear();
  expect(sent.slice(10)).toEqual([ERASE]);
});

test.each([10, 0])('a text never wraps on a terminal of %i columns', (width) => {
  const { sent, time, line } = terminal(width);
  time.ms = 600;
  line.show(() => 'x'.repeat(500));
  expect(sent[0]).toBe(`${ERASE}${'x'.repeat((width || 80) - 1)}`);
});

test('a plan says how many files were read, and how many workloads are planned', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      [`base/web-${index}.yaml`, cloneSet({ name: `web-${index}`, image: 'nginx:1' })],
      [`head/web-${index}.yaml`, cloneSet({ name: `web-${index}`, image: 'nginx:2' })],
    ]).flat(),
  ) as Record<string, string>;
  const shown: string[] = [];
  const host = { ...memoryHost(files), progress: (text: () => string) => void shown.push(text()) };
  const options = { 'base-dir': 'base', out: 'plans', output: 'human', 'dry-run': true };
  expect(await runPlan(host, ['head'], options)).toBe(0);
  expect(shown).toContain('reading: 30 files so far');
  expect(shown).toContain('planning: 29 of 30 workloads');
  for (const text of shown)
    expect(text).toMatch(/^(?:reading: \d+ files? so far|planning: \d+ of \d+ workloads?)$/);
});
