import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Definition } from '../../compiler/diagnostics/definition.ts';
import { registry } from '../../compiler/diagnostics/registry.ts';
import { manifestCases } from './world/diagnostic-cases.ts';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';
import { yamlCases } from './world/yaml-cases.ts';

const cases = [...yamlCases, ...manifestCases];
const clean = cloneSet();

test.each(cases)('$what: $expected', async ({ head, base, files, options, expected }) => {
  const given = {
    ...(head === undefined ? {} : { 'head/web.yaml': head }),
    'base/web.yaml': base ?? clean,
    ...files,
  };
  const { places } = await diagnosticsOf(given, options);
  expect(places).toEqual(expected);
});

test('every code is raised by a case', () => {
  const raised = new Set(cases.flatMap(({ expected }) => expected.map((place) => place.slice(0, 6))));
  expect(Object.keys(registry).filter((code) => !raised.has(code))).toEqual([]);
});

function documentation(): string {
  const entries = Object.entries(registry).map(([code, definition]) => {
    const { title, severity, strict, about } = definition as Definition<never>;
    const note = strict === true ? ', error with `--strict`' : '';
    return `## ${code}\n\n**${title}** (${severity}${note})\n\n${about}\n`;
  });
  return `# Diagnostics\n\nGenerated from the registry; \`kruise explain CODE\` prints the same.\n\n${entries.join('\n')}`;
}

test('every code is documented', () => {
  const path = new URL('../../docs/diagnostics.md', import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, documentation());
  expect(readFileSync(path, 'utf8')).toBe(documentation());
});
