import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exitCode } from '../../cli/command/command.ts';
import type { Definition } from '../../compiler/diagnostics/definition.ts';
import { registry } from '../../compiler/diagnostics/registry.ts';
import type { Code } from '../../compiler/diagnostics/registry.ts';
import { changeCases } from './world/change-cases.ts';
import { checkCases } from './world/check-cases.ts';
import { clashCases } from './world/clash-cases.ts';
import { claimCases } from './world/claim-cases.ts';
import { configCases } from './world/config-cases.ts';
import { daemonCases } from './world/daemon-cases.ts';
import { manifestCases } from './world/diagnostic-cases.ts';
import { inPlaceCases } from './world/in-place-cases.ts';
import { injectorCases } from './world/injector-cases.ts';
import { rootNamespaceCases } from './world/root-namespace-cases.ts';
import { launchCases } from './world/launch-cases.ts';
import { lintCases } from './world/lint-cases.ts';
import { lifecycleCases } from './world/lifecycle-cases.ts';
import { manyCases } from './world/many-cases.ts';
import { batchCases, matchCases, mixedCases } from './world/match-cases.ts';
import { cloneSet, diagnosticsOf } from './world/manifests.ts';
import { objectCases } from './world/object-cases.ts';
import { handoverCases } from './world/handover-cases.ts';
import { ordinalCases } from './world/ordinal-cases.ts';
import { orderCases } from './world/order-cases.ts';
import { podCases } from './world/pod-cases.ts';
import { protectionCases } from './world/protection-cases.ts';
import { replicasCases } from './world/replicas-cases.ts';
import { reservedKeyCases } from './world/reserved-key-cases.ts';
import { nodeCases } from './world/node-cases.ts';
import { subsetCases } from './world/subset-cases.ts';
import { runCases } from './world/run-cases.ts';
import { scheduleCases } from './world/schedule-cases.ts';
import { standingCases } from './world/standing-cases.ts';
import { unchangedCases } from './world/unchanged-cases.ts';
import { yamlCases } from './world/yaml-cases.ts';

const cases = [
  ...yamlCases,
  ...objectCases,
  ...manifestCases,
  ...lifecycleCases,
  ...inPlaceCases,
  ...launchCases,
  ...manyCases,
  ...lintCases,
  ...changeCases,
  ...claimCases,
  ...configCases,
  ...matchCases,
  ...batchCases,
  ...mixedCases,
  ...ordinalCases,
  ...daemonCases,
  ...handoverCases,
  ...orderCases,
  ...podCases,
  ...reservedKeyCases,
  ...nodeCases,
  ...subsetCases,
  ...runCases,
  ...injectorCases,
  ...clashCases,
  ...rootNamespaceCases,
  ...scheduleCases,
  ...standingCases,
  ...checkCases,
  ...unchangedCases,
  ...replicasCases,
  ...protectionCases,
];
const clean = cloneSet();

test.each(cases)('$what: $expected', async ({ head, base, files, options, expected }) => {
  const given = {
    ...(head === undefined ? {} : { 'head/web.yaml': head }),
    'base/web.yaml': base ?? clean,
    ...files,
  };
  const { positions, all } = await diagnosticsOf(given, options);
  // Most of these manifests have no probe, but test something else.
  const isAboutProbes = expected.some((position) => position.startsWith('KR2135'));
  expect(positions.filter((position) => isAboutProbes || !position.startsWith('KR2135'))).toEqual(expected);
  for (const each of all) expect(each).toMatchObject({ severity: severityOf(each.code, options?.args) });
  // README promises a remedy for every mistake.
  for (const { help } of all) expect(help).toMatch(/\S/);
});

/** The severity of a code, which only `--strict` changes. */
function severityOf(code: string, args: readonly string[] = []): string {
  const { severity, strict } = registry[code as Code] as Definition<never>;
  return strict === true && args.includes('--strict') ? 'error' : severity;
}

/** Codes that need more than two folders. */
// test/cli/git, test/cli/manifests, test/security, test/compiler/build
const elsewhere = new Set([
  ...['KR3015', 'KR3017', 'KR3026', 'KR2191', 'KR3035', 'KR2232'],
  ...['KR2240', 'KR2241', 'KR2242', 'KR2243'],
]);

test('every code is raised by a case', () => {
  const raised = new Set(cases.flatMap(({ expected }) => expected.map((position) => position.slice(0, 6))));
  expect(Object.keys(registry).filter((code) => !raised.has(code) && !elsewhere.has(code))).toEqual([]);
});

test('no code is defined twice', () => {
  const folder = new URL('../../compiler/diagnostics/', import.meta.url);
  const lists = readdirSync(folder).filter((name) => name.endsWith('-codes.ts'));
  const defined = lists.flatMap((name) =>
    [...readFileSync(new URL(name, folder), 'utf8').matchAll(/^ {2}(KR\d{4}): /gm)].map(([, code]) => code),
  );
  const twice = defined.filter((code, index) => defined.indexOf(code) !== index);
  expect({ twice, listed: defined.length }).toEqual({ twice: [], listed: Object.keys(registry).length });
});

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function documentation(): string {
  const entries = Object.entries(registry)
    .sort(byName)
    .map(([name, definition]) => {
      const { title, severity, strict, check, about, remedy } = definition as Definition<never>;
      const code = check === undefined ? '' : `, exit code ${exitCode[check]} of \`kruise plan --check\``;
      const note = `${strict === true ? ', error with `--strict`' : ''}${code}`;
      return `## ${name}\n\n**${title}** (${severity}${note})\n\n${about}\n\nWhat to do: ${remedy}\n`;
    });
  return `# Diagnostics\n\n_Reference._ Generated from the registry; \`kruise explain CODE\` prints the same.\n\n${entries.join('\n')}`;
}

test('every code is documented', () => {
  const path = new URL('../../docs/diagnostics.md', import.meta.url);
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, documentation());
  expect(readFileSync(path, 'utf8')).toBe(documentation());
});
