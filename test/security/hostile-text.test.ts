import { parse, parseAllDocuments } from 'yaml';
import { describe, expect, test } from 'vitest';
import { toYaml } from '../../compiler/render/yaml.ts';
import { commands } from '../../cli/command/commands.ts';
import { createLog } from '../../runtime/report/log.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import { ApiError, type Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { cloneSet, kruise } from '../compiler/world/manifests.ts';
import { sampled } from '../lanes.ts';
import { HOSTILE, unsafeIn } from './hostile.ts';
import { changed, COMMANDS, COMMENTS, FIELDS, plan } from './hostile-fields.ts';

describe('security 13: no string of a repository contains control characters when it is printed', () => {
  test.each(Object.keys(FIELDS))('%s', async (field) => {
    for (const text of sampled(field, HOSTILE, 1, 3)) {
      const files = FIELDS[field]?.(text) ?? {};
      for (const [what, words, options = {}] of COMMANDS) {
        const { host } = await kruise(files, { args: words, ...options });
        const colors = options.env?.['FORCE_COLOR'] !== undefined;
        const written = [...host.files].filter(([path]) => path.includes('/plans/'));
        const printed = [host.out, host.err, ...written.map(([, content]) => String(content))];
        const found = printed.flatMap((each) => unsafeIn(each, colors));
        expect({ what, text, found: found.slice(0, 3) }).toEqual({ what, text, found: [] });
        if (words.includes('json') && host.out !== '')
          expect(() => JSON.parse(host.out) as unknown).not.toThrow();
        if (words.includes('yaml'))
          for (const { errors } of parseAllDocuments(host.out) as { errors: unknown[] }[])
            expect(errors).toEqual([]);
      }
    }
  });

  test('JSON and YAML output have the original values', async () => {
    for (const text of HOSTILE) {
      const { host } = await kruise(FIELDS['a namespace']?.(text) ?? {}, {
        args: ['validate', 'head', '-o', 'json'],
      });
      const { diagnostics } = JSON.parse(host.out) as { diagnostics: { message: string }[] };
      const isWhole = !/\p{Cs}/u.test(text);
      expect(diagnostics[0]?.message).toContain(isWhole ? text : 'metadata.namespace');
      const yaml = toYaml({ [text]: [text] });
      expect(unsafeIn(yaml)).toEqual([]);
      if (isWhole) expect(parse(yaml)).toEqual({ [text]: [text] });
    }
  });
});

describe('security 13: the same for what a pull request shows', () => {
  test.each(Object.keys(FIELDS))('%s', async (field) => {
    for (const text of sampled(`${field} in a comment`, HOSTILE, 1, 3)) {
      const { host: planned } = await kruise(FIELDS[field]?.(text) ?? {}, { args: [...plan, '-o', 'json'] });
      for (const output of COMMENTS) {
        const { host } = await kruise({}, { args: ['comment', '-', '-o', output], stdin: planned.out });
        const found = unsafeIn(host.out + host.err);
        expect({ output, text, found: found.slice(0, 3) }).toEqual({ output, text, found: [] });
      }
    }
  });
});

describe('security 13: the same for arguments of the command line', () => {
  test.each([
    ['a command', (text: string) => [text]],
    ['an option', (text: string) => ['plan', `--${text}`]],
    ['a value', (text: string) => ['plan', 'head', '--base-dir', 'base', '-o', text]],
    ['a path', (text: string) => ['validate', text]],
    ['two paths', (text: string) => ['validate', `/${text}`, 'head']],
    ['a base', (text: string) => ['plan', 'head', '--base-dir', text]],
    ['a folder of plans', (text: string) => ['plan', 'head', '--base-dir', 'base', '--out', `../${text}`]],
    [
      'a folder of plans inside',
      (text: string) => ['plan', 'head', '--base-dir', 'base', '--out', `x${text}`],
    ],
    ['a code', (text: string) => ['explain', text]],
    ['a target', (text: string) => ['approve', `CloneSet/${text}`]],
    [
      'a reason',
      (text: string) => [
        'break-glass',
        'CloneSet/web',
        '--by',
        'me',
        '--reason',
        text,
        '--expires',
        text,
        '-o',
        'json',
      ],
    ],
    ['a namespace', (text: string) => ['status', '-n', text]],
    ['a duration', (text: string) => ['status', 'CloneSet/web', '-w', '--timeout', text]],
    ['a file of a sandbox', (text: string) => ['sandbox', '--load', text]],
    ['a name of nodes', (text: string) => ['kubelet', '--node-prefix', text]],
    ['a configuration', (text: string) => ['run', '--config', text]],
  ])('%s', async (_what, words) => {
    for (const text of HOSTILE) {
      const { host } = await kruise(changed(cloneSet({ image: 'e' })), {
        args: words(text.replaceAll('\0', '')),
      });
      expect({ text, found: unsafeIn(host.out + host.err) }).toEqual({ text, found: [] });
    }
  });
});

test('security 13: the same for objects that a sandbox refuses', async () => {
  const objects = HOSTILE.map((text) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: text, namespace: text, labels: { [text]: text } },
    spec: { containers: [{ name: text, image: text, [text]: text }], restartPolicy: text },
  }));
  const strange = HOSTILE.map((text) => ({ apiVersion: text, kind: text, metadata: { name: text } }));
  for (const items of [objects, strange]) {
    const files = { 'all.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) };
    const { host, code } = await kruise(files, { args: ['sandbox', '--nodes', '0', '--load', 'all.yaml'] });
    expect(code).toBe(1);
    expect(host.err).toContain('refused');
    expect(unsafeIn(host.out + host.err)).toEqual([]);
  }
});

/** A cluster with hostile text in every string. */
function cluster(text: string, refuses?: string): Cluster {
  const metadata = {
    name: 'web',
    namespace: 'shop',
    uid: 'u',
    generation: 1,
    creationTimestamp: text,
    labels: { 'controller-revision-hash': text },
    ownerReferences: [{ apiVersion: 'a', kind: 'CloneSet', name: 'web', uid: 'u', controller: true }],
  };
  const conditions = [
    { type: 'plan.kruise.io/Held', status: 'True', reason: text, message: text },
    { type: 'FailedUpdate', status: 'True', reason: text, message: text },
  ];
  const status = {
    observedGeneration: 1,
    updateRevision: text,
    currentRevision: text,
    labelSelector: 'a=b',
    conditions,
  };
  const objects: Record<string, object[]> = {
    CloneSet: [
      { metadata, spec: { template: {} }, status },
      { metadata: { ...metadata, name: text, namespace: text }, spec: { template: {} }, status },
    ],
    RolloutPlan: ['web', text].map((name) => ({
      metadata: { ...metadata, name },
      spec: {
        target: { apiVersion: text, kind: 'CloneSet', name },
        digest: text,
        steps: [
          { id: text, approve: {}, timeout: text },
          { id: 'a', check: { use: text, for: text } },
          { id: 'b', update: { to: text } },
        ],
      },
      status: {
        phase: text,
        step: text,
        steps: text,
        waitingOn: text,
        message: text,
        digest: text,
        until: text,
      },
    })),
    Pod: [
      {
        metadata: { ...metadata, name: text },
        spec: { containers: [], readinessGates: [{ conditionType: text }] },
        status: {
          phase: text,
          conditions: [{ type: 'Ready', status: 'False', reason: text, message: text }],
          containerStatuses: [{ name: text, state: { waiting: { reason: text, message: text } } }],
        },
      },
    ],
    Event: [
      {
        metadata,
        involvedObject: { kind: 'CloneSet', name: 'web', namespace: 'shop' },
        reason: text,
        message: text,
        lastTimestamp: text,
      },
    ],
  };
  const answer = ({ kind }: { kind: string }): KubeObject[] => {
    if (kind === refuses) throw new ApiError({ code: 500, reason: text, message: text });
    return (objects[kind] ?? []) as KubeObject[];
  };
  const refuse = (): Promise<never> =>
    Promise.reject(new ApiError({ code: 422, reason: 'Invalid', message: text }));
  return {
    list: async (resource) => ({ metadata: { resourceVersion: '1' }, items: answer(resource) }),
    watch: () => ({ stop() {} }),
    get: async (resource) => answer(resource)[0] ?? refuse(),
    create: refuse,
    replace: refuse,
    patch: refuse,
    delete: refuse,
  };
}

const OF_CLUSTER: readonly (readonly [string, readonly string[]])[] = [
  ['status', ['status', '-n', 'shop']],
  ['status -A', ['status', '-A']],
  ['status of one', ['status', 'CloneSet/web', '-n', 'shop']],
  ['status -o json', ['status', '-A', '-o', 'json']],
  ['status of one -o json', ['status', 'CloneSet/web', '-n', 'shop', '-o', 'json']],
  ['status -o yaml', ['status', '-A', '-o', 'yaml']],
  ['status of one -o yaml', ['status', 'CloneSet/web', '-n', 'shop', '-o', 'yaml']],
  ['status -o html', ['status', '-A', '-o', 'html']],
  ['status of one -o html', ['status', 'CloneSet/web', '-n', 'shop', '-o', 'html']],
  ['status of none', ['status', 'CloneSet/wed', '-n', 'shop']],
  ['approve', ['approve', 'CloneSet/web', '-n', 'shop']],
  ['approve -o json', ['approve', 'CloneSet/web', '-n', 'shop', '-o', 'json']],
  ['approve -o yaml', ['approve', 'CloneSet/web', '-n', 'shop', '-o', 'yaml']],
  ['pause', ['pause', 'CloneSet/web', '-n', 'shop', '--digest', `h1:${'a'.repeat(32)}`]],
];

test('security 13: every output that prints strings of others is among these', () => {
  const printed = new Set(
    [...COMMANDS, ...OF_CLUSTER].map(([, words]) => {
      const at = words.indexOf('-o');
      return `${words[0]} ${at < 0 ? 'human' : words[at + 1]}`;
    }),
  );
  for (const output of COMMENTS) printed.add(`comment ${output}`);
  const missing = Object.entries(commands).flatMap(([name, { options }]) => {
    const { choices } = options['output'] ?? {};
    // All commands to a rollout print by the same code.
    const shown = 'expires' in options ? 'approve' : name;
    return (choices ?? []).map((output) => `${shown} ${output}`).filter((each) => !printed.has(each));
  });
  expect([...new Set(missing)]).toEqual([]);
});

describe('security 13: the same for strings of a cluster', () => {
  test.each(OF_CLUSTER)('%s', async (_what, words) => {
    for (const text of HOSTILE) {
      for (const refuses of [undefined, 'CloneSet', 'RolloutPlan']) {
        const { host } = await kruise({}, { args: words, cluster: cluster(text, refuses), tty: false });
        const found = unsafeIn(host.out + host.err);
        expect({ text, refuses, found: found.slice(0, 3) }).toEqual({ text, refuses, found: [] });
        expect(host.out + host.err).not.toContain('internal error');
        if (host.out !== '' && words.includes('json'))
          expect(() => JSON.parse(host.out) as unknown).not.toThrow();
      }
    }
  });

  test.each(['json', 'text'] as const)('a log in %s', (format) => {
    for (const text of HOSTILE) {
      const lines: string[] = [];
      const log = createLog({ write: (line) => lines.push(line), clock: createVirtualClock(0), format });
      log.error(text, {
        target: `CloneSet/${text}/${text}`,
        step: text,
        plan: text,
        names: [text],
        error: text,
      });
      expect({ text, found: unsafeIn(lines.join('')) }).toEqual({ text, found: [] });
      expect(lines.join('').split('\n')).toHaveLength(2);
      if (format === 'json') expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: text, error: text });
    }
  });
});
