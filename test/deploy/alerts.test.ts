import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { admissionMetrics } from '../../runtime/admit/metrics.ts';
import { metrics } from '../../runtime/report/metrics.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');
const { spec } = parse(read('deploy/components/alerts/prometheus-rule.yaml')) as {
  spec: { groups: { rules: { alert: string; expr: string }[] }[] };
};
const rules = spec.groups.flatMap((group) => group.rules);

const told: Readonly<Record<string, { labels?: readonly string[] }>> = { ...metrics, ...admissionMetrics };

/** Each metric of an expression, with the labels that it selects or groups by. */
function readsOf(expr: string): { name: string; labels: string[] }[] {
  const groups = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
  return [...expr.matchAll(/\b(kruise_\w+)(?:\{([^}]*)\})?/g)].map(([, name = '', selected = '']) => ({
    name,
    labels: [...groups, ...[...selected.matchAll(/(\w+)[=!]/g)].map(([, label = '']) => label)],
  }));
}

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
  '%s asks for what the runtime tells',
  (_alert, expr) => {
    const reads = readsOf(expr);
    expect(reads).not.toEqual([]);
    for (const { name, labels } of reads) {
      const known = told[name];
      expect([name, known === undefined]).toEqual([name, false]);
      expect(labels.filter((label) => !known?.labels?.includes(label))).toEqual([]);
    }
  },
);

test('the alerts are those of docs/metrics.md', () => {
  const page = read('docs/metrics.md').split('What is worth an alert')[1] ?? '';
  const named = (text: string): string[] =>
    [...new Set([...text.matchAll(/\bkruise_\w+/g)].map(([name]) => name))].sort();
  expect(named(rules.map(({ expr }) => expr).join(' '))).toEqual(named(page.split('\n\n')[1] ?? ''));
});
