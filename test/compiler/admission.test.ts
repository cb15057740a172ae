import { readFileSync, writeFileSync } from 'node:fs';
import { layOut } from '../../schemas/generate/lay-out.ts';
import { stringify } from 'yaml';
import { describe, expect, test } from 'vitest';
import { registry } from '../../compiler/diagnostics/registry.ts';
import { invalidWorkloadFields } from '../../semantics/workload/invalid.ts';
import { normalizeCloneSet } from '../../semantics/cloneset/normalize.ts';
import { refusals, stricter } from '../fixtures/openkruise/admission.ts';
import type { By, Refusal } from '../fixtures/openkruise/refusal.ts';
import { updating } from '../golden.ts';
import { diagnosticsOf, kruise } from './world/manifests.ts';

const DOCUMENT = 'docs/admission.md';
const VERSIONS = ['v1alpha1', 'v1beta1'] as const;
const rows = [...refusals, ...stricter].flatMap((refusal) =>
  VERSIONS.map((version) => [refusal.rule, version, refusal] as const),
);

/** The files of a case, and the command that checks them. */
function setup({ object, before }: Refusal, version: (typeof VERSIONS)[number]) {
  const files = {
    'head/web.yaml': stringify(object(version)),
    ...(before === undefined ? {} : { 'base/web.yaml': stringify(before(version)) }),
  };
  const args = before === undefined ? ['validate', 'head'] : ['plan', 'head', '--base-dir', 'base'];
  return { files, words: args };
}

describe('what the admission of OpenKruise refuses is reported before it is merged', () => {
  test.each(rows)('%s, %s', async (_rule, version, refusal) => {
    const { files, words: args } = setup(refusal, version);
    const { all } = await diagnosticsOf(files, { args });
    const [code, severity = 'error'] = refusal.code?.split(' ') ?? [];
    const found = all.filter((one) => one.severity === 'error' || one.code === code);
    expect(found.map((one) => `${one.code} ${one.severity}`)).toEqual(
      code === undefined ? [] : [`${code} ${severity}`],
    );
    for (const { file, line, help } of found)
      expect({ file, isPlaced: (line ?? 0) > 0, help }).toMatchObject({
        file: 'head/web.yaml',
        isPlaced: true,
        help: expect.stringMatching(/\S/) as string,
      });
    if (code === undefined) return;
    const { host } = await kruise(files, { args });
    expect(host.err).toMatch(/\n +[0-9]+ \| .*\n +\| +\^/);
  });

  test.each(rows)('%s, %s: held in the cluster or not', (_rule, version, refusal) => {
    if (refusal.by === 'definition' || refusal.by === 'server') return;
    const held = invalidWorkloadFields(normalizeCloneSet(refusal.object(version)));
    expect(held.length > 0).toBe(refusal.by === 'held');
  });

  test('every refusal has a source', () => {
    for (const { rule, by, message, code, else: other } of refusals) {
      const isServer = by === 'definition' || by === 'server';
      expect({ rule, says: message !== undefined, told: code !== undefined || other !== undefined }).toEqual({
        rule,
        says: isServer,
        told: true,
      });
    }
  });
});

const WORDS: Record<By, string> = {
  definition: 'refused when it is applied',
  server: 'refused when it is applied, as every object',
  held: 'accepted, and held: `InvalidTarget`',
  pods: 'accepted; the server refuses its pods, and the target says so: `FailedCreate`',
  validate: 'accepted, and nothing comes of it',
  plan: 'accepted; the pods stay as they are, and the target says so: `FailedUpdate`',
  nobody: 'accepted',
};

function table(of: readonly Refusal[], isTheirs: boolean): string {
  const lines = of.map(({ rule, versions, by, code, else: other }) => {
    const what = rule.replace(/^CS-[0-9]+: /, '');
    const reported =
      code === undefined ? '' : `[${code.slice(0, 6)}](diagnostics.md#${code.slice(0, 6).toLowerCase()})`;
    const severity = code === undefined ? '' : code.endsWith('warning') ? ', a warning' : '';
    const where = versions.length === 2 ? 'both' : (versions[0] ?? '');
    const here = `${WORDS[by]}${other === undefined ? '' : `: ${other}`}`;
    return isTheirs ? [what, where, here, `${reported}${severity}`] : [what, here, reported];
  });
  const head = isTheirs
    ? ['what', 'refused there in', 'here, in the cluster', 'told before']
    : ['what', 'here, in the cluster', 'told before'];
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

test('docs/admission.md has the tables of the cases: `npm run golden` writes them', async () => {
  const before = readFileSync(DOCUMENT, 'utf8');
  const begin = '<!-- generated: test/compiler/admission.test.ts -->';
  const [head = ''] = before.split(begin);
  const text = `${head}${begin}\n\n## What OpenKruise refuses\n\n${table(refusals, true)}\n\n## What is refused here, and not there\n\n${table(stricter, false)}\n`;
  const wanted = await layOut('a.md', text);
  if (updating) writeFileSync(DOCUMENT, wanted);
  else expect(before).toBe(wanted);
});

test('every code of the tables exists', () => {
  const codes = [...refusals, ...stricter].flatMap(({ code }) =>
    code === undefined ? [] : [code.slice(0, 6)],
  );
  expect(codes.filter((code) => !Object.hasOwn(registry, code))).toEqual([]);
});
