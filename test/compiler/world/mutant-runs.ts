import { expect, test } from 'vitest';
import { judgeCommitted } from '../../../compiler/committed/judge.ts';
import { compile } from '../../../compiler/compile.ts';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.ts';
import { renderDiagnostic } from '../../../compiler/diagnostics/render.ts';
import { humanPlan } from '../../../compiler/render/human.ts';
import { jsonPlan, markdownPlan } from '../../../compiler/render/machine.ts';
import { memoryHost } from '../../cli/world/memory-host.ts';
import { sampled } from '../../lanes.ts';
import { cloneSet } from './manifests.ts';
import { mutantOf } from './mutate.ts';

const rich = cloneSet({
  // Few pods: how a forecast simulates many is tested elsewhere.
  replicas: 2,
  spec: [
    '    maxUnavailable: 25%',
    '    maxSurge: 1',
    '    partition: 1',
    '    priorityStrategy: {weightPriority: [{weight: 50, matchSelector: {matchLabels: {a: b}}}]}',
    '  minReadySeconds: 5',
    '  progressDeadlineSeconds: 600',
    '  volumeClaimTemplates:',
    '  - metadata: {name: data}',
    '    spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}',
  ].join('\n'),
  container:
    '        env:\n        - {name: A, value: "b"}\n        ports: [{containerPort: 80}]\n        resources: {requests: {cpu: 100m}}',
  pod: '      volumes:\n      - name: c\n        configMap: {name: c}',
});

const config = `ignore: [old/**]
steps:
- match: {kind: CloneSet, namespace: [shop, "team-*"], name: "w*", labels: {tier: front}}
  batches: [{to: 5%, atLeast: 1, window: {maxSurge: 1}}, {to: 7, timeout: 5m}, {to: 100%}]
  between: {soak: 10m, check: [pods, {use: pods, args: {restarts: "1"}, for: 1m}]}
  approve: [1]
  onFailure: Revert
  group: a
  after: [{kind: CloneSet, name: db}]
- match: {}
  timeout: 10m
default:
  batches: [{to: 1}, {to: 100%}]
unmatched: warn
images: tag
`;

const head = rich.replace('nginx:1.25', 'nginx:1.27');
const files = {
  'head/web.yaml': head,
  'head/kruise.yaml': config,
  'base/web.yaml': `${rich}---\n${cloneSet({ name: 'db' })}`,
};
const MUTANTS = Object.keys(files).length;

/**
 * What is wrong with what a run of mutants leads to; undefined if it leads to diagnostics or to a plan. Each file is another
 * mutant.
 */
function problemOf(run: number): string | undefined {
  const mutants = Object.entries(files).map(
    ([path, text], index) => [`/repo/${path}`, mutantOf(text, run * MUTANTS + index)] as const,
  );
  const given = mutants.map(([path, text]) => `${path}:\n${text}`).join('\n');
  try {
    const host = memoryHost(Object.fromEntries(mutants));
    const state = (root: string) => ({ root, paths: [root], plans: `${root}/plans` });
    const states = { head: state('/repo/head'), base: state('/repo/base') };
    const compiled = compile(host, { ...states, strict: run % 7 === 0 });
    // Forecasts take longer than all else, and depend less on the form of the input.
    if (run % 4 === 0) {
      const nothing = (): undefined => undefined;
      judgeCommitted({ compiled, head: states.head, host, read: nothing, readAtBase: nothing });
      jsonPlan(compiled);
      humanPlan(compiled, (_style, text) => text);
      markdownPlan(compiled);
    }
    const faulty = compiled.diagnostics.find((found) => !isWhole(found));
    if (faulty !== undefined) return `run ${run}: ${faulty.code} ${faulty.message}\n${given}`;
  } catch (error) {
    return `run ${run}: ${error instanceof Error ? error.stack : String(error)}\n${given}`;
  }
  return undefined;
}

/** Whether a diagnostic can be shown: message, help, and a position inside of its file. */
function isWhole(found: Diagnostic): boolean {
  const { message, help, position } = found;
  const shown = renderDiagnostic(found, (_style, text) => text);
  const isInside =
    position === undefined || (position.start >= 0 && position.start <= position.source.text.length);
  return message !== '' && help !== '' && isInside && !/undefined|\[object Object\]|NaN/.test(shown);
}

/** 100,000 mutants, in files that run beside one another, and in groups that end within the time of a test. */
const FILES = 4;
const GROUPS = 20;
const IN_GROUP = Math.ceil(100_000 / MUTANTS / GROUPS);
const SAMPLE = 20;
/** The full lane plays a tenth of them, others for each commit. */
const IN_FULL = Math.ceil(IN_GROUP / 10);

/** The groups of one of the files, `file` from 1 on: a test for each. */
export function describeMutants(file: 1 | 2 | 3 | 4): void {
  const groups = Array.from({ length: GROUPS }, (_, group) => group).filter(
    (group) => group % FILES === file - 1,
  );
  test.each(groups.map((group) => group * IN_GROUP))(
    'mutants give diagnostics, never an exception: runs from %d on',
    (first) => {
      const runs = Array.from({ length: IN_GROUP }, (_, index) => first + index);
      const problems: string[] = [];
      for (const run of sampled(`mutants ${first}`, runs, SAMPLE, IN_FULL)) {
        const problem = problemOf(run);
        if (problem !== undefined && problems.length < 3) problems.push(problem);
      }
      expect(problems).toEqual([]);
    },
    600_000,
  );
}
