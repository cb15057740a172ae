import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { RolloutCommand } from '../../../schemas/generated/types/rolloutcommand.ts';
import type { RolloutPlan } from '../../../schemas/generated/types/rolloutplan.ts';
import { validateRolloutCommand } from '../../../schemas/generated/validate/rolloutcommand.js';
import { ApiError, type Cluster, type Status } from '../../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { resources } from '../../../schemas/wire/resources.ts';
import { isDateTime } from '../../../cli/rollout/date-time.ts';
import { cloneSet, kruise } from '../../compiler/world/manifests.ts';
import type { RunOptions } from '../../compiler/world/manifests.ts';

/** The plans that a run writes for these CloneSets, as committed files at /repo. */
async function committed(
  steps: string,
  ...sets: { name: string; namespace: string }[]
): Promise<Record<string, string>> {
  const all = (image: string): string => sets.map((set) => cloneSet({ ...set, image })).join('---\n');
  const { host, code } = await kruise({
    'base/web.yaml': all('nginx:1'),
    'head/web.yaml': all('nginx:2'),
    'head/kruise.yaml': `steps: [{match: {}, batches: [{to: 1}, {to: 50%}, {to: 100%}], ${steps}}]`,
  });
  expect({ code, err: host.err }).toMatchObject({ code: 0 });
  return Object.fromEntries(
    [...host.files]
      .filter(([path]) => path.endsWith('/plan.yaml'))
      .map(([path, text]) => [path.replace('/repo/head/', '/repo/'), String(text)]),
  );
}

const web = { name: 'web', namespace: 'shop' };
const one = await committed('between: {soak: 5m, check: [pods]}, approve: [1]', web);
const two = await committed('approve: [1, 2]', web);
const none = await committed('timeout: 5m', web);
const many = await committed(
  'approve: [1]',
  web,
  { name: 'web', namespace: 'blog' },
  { name: 'db', namespace: 'shop' },
);
const loose = await committed('approve: [1]', { name: 'web', namespace: '' });
const planPath = '/repo/plans/shop/cloneset-web/plan.yaml';
const digestIn = (files: Record<string, string>): string =>
  (parse(files[planPath] ?? '') as RolloutPlan).spec.digest;
const digest = digestIn(one);
const other = `h1:${'0'.repeat(32)}`;
const until = ['--expires', '2026-12-01T18:00:00Z'];

/** Without a connected cluster, prints the object. */
async function outputOf(files: Record<string, string>, args: readonly string[], options: RunOptions = {}) {
  const isPrinted = options.cluster === undefined && args.length > 1 && !args.includes('-o');
  const requests = isPrinted && args[1] !== '--help' ? [...args, '-o', 'yaml'] : args;
  const { host, code } = await kruise(files, { ...options, args: requests });
  const command = host.out.startsWith('api') ? (parse(host.out) as RolloutCommand) : undefined;
  return { code, err: host.err, out: host.out, command };
}

describe('the created command', () => {
  test('approve, in full, as YAML and as JSON', async () => {
    const args = ['approve', 'CloneSet/web', '--by', 'mona', '--reason', 'graphs: "fine" ', ...until];
    const { code, err, out, command } = await outputOf(one, args);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(command).toEqual({
      apiVersion: 'plan.kruise.io/v1alpha1',
      kind: 'RolloutCommand',
      metadata: { name: expect.stringMatching(/^web-approve-[a-z0-9]{5}$/), namespace: 'shop' },
      spec: {
        target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
        action: 'Approve',
        step: 'approve-1',
        digest,
        by: 'mona',
        reason: 'graphs: "fine" ',
        expires: '2026-12-01T18:00:00Z',
      },
    });
    expect(validateRolloutCommand(command)).toEqual([]);
    const json = await outputOf(one, [...args, '-o', 'json']);
    const printed = JSON.parse(json.out) as RolloutCommand;
    expect({ ...printed, metadata: command?.metadata }).toEqual(parse(out));
  });

  test.each([
    ['pause', 'Pause'],
    ['resume', 'Resume'],
    ['abort', 'Abort'],
    ['revert', 'Revert'],
  ])('%s carries the digest of the committed plan', async (verb, action) => {
    const { command } = await outputOf(one, [verb, 'web']);
    expect(command?.spec).toEqual({
      target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
      action,
      digest,
    });
    expect(command?.metadata.name).toMatch(new RegExp(`^web-${verb}-[a-z0-9]{5}$`));
    expect(command?.metadata.namespace).toBe('shop');
    expect(validateRolloutCommand(command)).toEqual([]);
  });

  test('break-glass is about the target, whatever its plan', async () => {
    const { command } = await outputOf(one, ['break-glass', 'web', ...until]);
    expect(command?.spec).toEqual({
      target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
      action: 'BreakGlass',
      expires: '2026-12-01T18:00:00Z',
    });
    expect(
      (await outputOf(one, ['break-glass', 'web', ...until, '--digest', other])).command?.spec.digest,
    ).toBe(other);
  });

  test('a long name is cut so that the verb remains', async () => {
    const name = `${'w'.repeat(24)}.${'x'.repeat(30)}`;
    const files = await committed('approve: [1]', { name, namespace: 'shop' });
    const { command } = await outputOf(files, ['break-glass', name, ...until]);
    const called = command?.metadata.name ?? '';
    expect(called).toMatch(/^w+\.x+-break-glass-[a-z0-9]{5}$/);
    expect(called).toHaveLength(63);
  });

  test('without --by, says whose name the policies want', async () => {
    expect((await outputOf(one, ['approve', 'web'])).err).toContain('name that of the GitOps engine');
    expect((await outputOf(one, ['approve', 'web', '--by', 'mona'])).err).toBe('');
  });
});

describe('the target', () => {
  test.each<[string, Record<string, string>, string[], string]>([
    ['by kind and name', one, ['pause', 'CloneSet/web'], 'shop'],
    ['by kind in lower case', one, ['pause', 'cloneset/web'], 'shop'],
    ['by name', many, ['pause', 'db'], 'shop'],
    ['by namespace', many, ['pause', 'web', '-n', 'blog'], 'blog'],
    ['with its namespace', many, ['pause', 'blog/cloneset/web'], 'blog'],
    ['with a manifest that names no namespace', loose, ['pause', 'web', '-n', 'prod'], 'prod'],
  ])('%s', async (_what, files, args, namespace) => {
    const { code, command } = await outputOf(files, args);
    expect({ code, namespace: command?.metadata.namespace }).toEqual({ code: 0, namespace });
  });

  test('without a namespace the object has none', async () => {
    expect((await outputOf(loose, ['pause', 'web'])).command?.metadata).toEqual({
      name: expect.stringMatching(/^web-pause-[a-z0-9]{5}$/),
    });
  });

  test('plans in another folder', async () => {
    const elsewhere = Object.fromEntries(
      Object.entries(one).map(([path, text]) => [path.replace('/plans/', '/ops/roll/'), text]),
    );
    expect((await outputOf(elsewhere, ['pause', 'web', '--out', 'ops/roll'])).code).toBe(0);
  });

  test('a broken plan of another target does not matter', async () => {
    const files = { ...many, '/repo/plans/shop/cloneset-db/plan.yaml': 'kind: [' };
    expect((await outputOf(files, ['pause', 'web', '-n', 'shop'])).code).toBe(0);
  });
});

describe('a command with kind and digest needs no plan', () => {
  test.each([
    [['approve', 'CloneSet/web', '-n', 'shop', '--step', 'approve-9', '--digest', other], 'Approve'],
    [['abort', 'CloneSet/web', '-n', 'shop', '--digest', other], 'Abort'],
    [['break-glass', 'CloneSet/web', '-n', 'shop', ...until], 'BreakGlass'],
  ])('%j', async (args, action) => {
    const { code, err, command } = await outputOf({}, args);
    expect({ code, action: command?.spec.action }).toEqual({ code: 0, action });
    expect(err).toContain('no plan here is for CloneSet/web; whether the target exists is not checked');
  });

  test('a digest other than the committed one is reported', async () => {
    const args = ['approve', 'web', '--step', 'approve-9', '--digest', other];
    const { code, err, command } = await outputOf(one, args);
    expect({ code, spec: command?.spec }).toMatchObject({
      code: 0,
      spec: { digest: other, step: 'approve-9' },
    });
    expect(err).toContain(`another digest, ${digest}, so the step could not be checked`);
  });
});

describe('refusals name a remedy', () => {
  const broken = { [planPath]: one[planPath]?.replace('100%', '99%') ?? '' };
  const twice = { ...one, '/repo/plans/copy/plan.yaml': one[planPath] ?? '' };
  test.each<[string[], Record<string, string>, ...string[]]>([
    [['approve'], one, 'no target is named; for example kruise approve CloneSet/web'],
    [['pause', 'web', 'db'], one, 'name one target at a time'],
    [['approve', 'a/b/c/d'], one, "'a/b/c/d' is not a target; write KIND/NAME"],
    [['approve', 'shop/CloneSet/web', '-n', 'blog'], one, "'shop/CloneSet/web' is not in namespace blog"],
    [
      ['approve', 'blog/CloneSet/web'],
      one,
      'is for CloneSet/web in blog; there is one for CloneSet/web in shop',
    ],
    [['approve', 'Web'], one, "'Web' is not a valid object name"],
    [['approve', 'web', '-n', 'Shop'], one, "'Shop' is not a valid namespace"],
    [['approve', 'Clonset/web'], one, "has no kind 'Clonset'; did you mean CloneSet/web?"],
    [['approve', 'EphemeralJob/web'], one, 'this version does not plan EphemeralJob; it plans CloneSet'],
    [['approve', 'web'], {}, 'there is no folder plans in /repo; run this in the folder that contains plans'],
    [['approve', 'web', '--out', '../x'], one, '--out ../x is not inside of /repo; name a folder below it'],
    [['approve', 'wbe'], one, 'no plan in plans is for wbe; did you mean CloneSet/web in shop?'],
    [['approve', 'web', '-n', 'sohp'], one, 'is for web in sohp; there is one for CloneSet/web in shop'],
    [['approve', 'cache'], one, 'is for cache; commit the plan first'],
    [
      ['approve', 'web'],
      many,
      '2 plans are for web: CloneSet/web in blog, CloneSet/web in shop; choose one with -n',
    ],
    [['approve', 'CloneSet/web', '--digest', other], many, 'choose one with -n'],
    [['approve', 'web'], broken, 'error[KR3001]', 'no plan in plans is for web'],
    [['approve', 'web'], twice, 'error[KR3003]', 'two plans are for CloneSet/web; delete one'],
    [['approve', 'web'], two, 'has 2 approval steps; name one with --step: approve-1, approve-2'],
    [['approve', 'web'], none, 'has no approval step'],
    [['approve', 'web', '--step', 'aprove-1'], one, 'has no step aprove-1; did you mean approve-1?'],
    [['approve', 'web', '--step', 'later'], one, 'has no step later; its approvals are approve-1'],
    [['approve', 'web', '--step', 'soak-1'], one, 'step soak-1 of CloneSet/web is a soak, not an approval'],
    [['approve', 'web', '--step', 'check-1-pods'], one, 'is a check, not an approval'],
    [
      ['approve', 'web', '--step', 'batch-1'],
      one,
      'is an update, not an approval; its approvals are approve-1',
    ],
    [['approve', 'web', '--step', 'A 1'], one, "--step cannot be 'A 1'"],
    [['approve', 'web', '--digest', other], one, 'its approvals are unknown; name the step with --step'],
    [['approve', 'web', '--digest', 'h1:xyz'], one, "--digest cannot be 'h1:xyz'"],
    [['pause', 'web', '--step', 'approve-1'], one, 'unknown option --step; kruise approve has it'],
    [['pause', 'web', '--reason', 'a\nb'], one, '--reason has a line break'],
    [['pause', 'web', '--reason', 'a\u202eb'], one, 'an invisible character'],
    [['pause', 'web', '--by', ' '], one, '--by is empty'],
    [['pause', 'web', '--by', 'm'.repeat(1025)], one, '--by has 1025 characters; use at most 1024'],
    [['break-glass', 'web'], one, '--expires is required; set when the plans apply again'],
    [['break-glass', 'web', '--expires', 'tomorrow'], one, "--expires cannot be 'tomorrow'"],
    [['approve', 'web', '--expires', '2026-02-30T00:00:00Z'], one, 'or a date and time'],
    [['approve', 'web', '-o', 'jsn'], one, 'did you mean json?'],
    [['aprove', 'web'], one, "did you mean 'approve'?"],
    [['approve', '\u001b[31m'], one, "'\\u001b[31m' is not a valid object name"],
  ])('%j', async (args, files, ...expected) => {
    const { code, err, out } = await outputOf(files, args);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    for (const text of expected) expect(err).toContain(text);
    expect(err).not.toContain('\u001b');
  });
});

describe('where the command goes', () => {
  test('a user at a terminal reads how to send the printed YAML', async () => {
    expect((await outputOf(one, ['pause', 'web'], { tty: true })).err).toContain('kubectl apply -f -');
    expect((await outputOf(one, ['pause', 'web', '--by', 'mona'])).err).toBe('');
  });

  const world = createWorld({ clock: createVirtualClock(0), namespaces: ['shop'] });
  const cluster = world.cluster('mona');

  test('to the connected cluster', async () => {
    const args = ['approve', 'web', '--by', 'mona', '--no-wait'];
    const { code, out } = await outputOf(one, args, { cluster, tty: true });
    expect({ code, out }).toEqual({
      code: 0,
      out: expect.stringMatching(/^web-approve-[a-z0-9]{5} created\n$/),
    });
    const { items } = await cluster.list(resources.RolloutCommand, { namespace: 'shop' });
    expect(items.map(({ metadata, spec }) => ({ name: metadata.name, spec }))).toEqual([
      {
        name: out.split(' ')[0],
        spec: {
          target: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', name: 'web' },
          action: 'Approve',
          step: 'approve-1',
          digest,
          by: 'mona',
        },
      },
    ]);
  });

  test('to no cluster if the object is printed', async () => {
    const before = (await cluster.list(resources.RolloutCommand, { namespace: 'shop' })).items.length;
    const { command } = await outputOf(one, ['pause', 'web', '-o', 'yaml'], { cluster });
    expect(command?.metadata.name).toMatch(/^web-pause-/);
    expect((await cluster.list(resources.RolloutCommand, { namespace: 'shop' })).items).toHaveLength(before);
  });

  /** A cluster with a fixed response to creating one kind, and a list of the created objects. */
  function answering(plural: string, status?: Status) {
    const created: KubeObject[] = [];
    const create: Cluster['create'] = (resource, body, ...rest) => {
      created.push(body);
      const isRefused = status !== undefined && resource.plural === plural;
      return isRefused ? Promise.reject(new ApiError(status)) : cluster.create(resource, body, ...rest);
    };
    const byOf = (): unknown =>
      created.flatMap(({ kind, spec }) => (kind === 'RolloutCommand' ? [(spec as { by?: string }).by] : []));
    return { cluster: { ...cluster, create }, made: created, byOf };
  }
  const who = 'selfsubjectreviews';

  test.each<[string, string[], unknown[], string[]]>([
    ['without --by: as the server knows its sender', [], ['mona'], ['SelfSubjectReview', 'RolloutCommand']],
    ['with --by: no request', ['--by', 'eve'], ['eve'], ['RolloutCommand']],
    ['printed: no request', ['-o', 'yaml'], [], []],
  ])('the sender, %s', async (_what, args, by, kinds) => {
    const { cluster: at, made: created, byOf } = answering(who);
    const sent = await outputOf(one, ['pause', 'web', '--no-wait', ...args], { cluster: at });
    expect({ code: sent.code, by: byOf() }).toEqual({ code: 0, by });
    expect(created.map(({ kind }) => kind)).toEqual(kinds);
    if (args.includes('-o')) expect(sent.command?.spec.by).toBeUndefined();
  });

  test.each([
    [404, 'NotFound', 'the server could not find the requested resource'],
    [403, 'Forbidden', 'selfsubjectreviews.authentication.k8s.io is forbidden'],
  ])('no sender if the server does not report one: %i', async (code, reason, message) => {
    const { cluster: at, byOf } = answering(who, { code, reason, message });
    expect((await outputOf(one, ['pause', 'web', '--no-wait'], { cluster: at })).err).toBe('');
    expect(byOf()).toEqual([undefined]);
  });

  test('nothing is sent if the review of the sender fails otherwise', async () => {
    const { cluster: at, byOf } = answering(who, { code: 500, reason: 'InternalError', message: 'no disk' });
    const { code, err } = await outputOf(one, ['pause', 'web', '--no-wait'], { cluster: at });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('no disk; try again') });
    expect(byOf()).toEqual([]);
  });

  const denied = (args: string): Status => ({ code: 403, reason: 'Forbidden', message: `denied: ${args}` });
  const named = denied('spec.by is who sends the command: write "mona"');
  test.each<[string, Status, string[], string]>([
    ['another name', named, ['--by', 'eve'], '"mona"; set --by to the name in that message, or omit --by'],
    ['what else', denied('mona may not'), ['--by', 'mona'], 'may not; ask an administrator of the cluster'],
  ])('refused for %s', async (_what, status, args, help) => {
    const { cluster: at } = answering('rolloutcommands', status);
    const { code, err } = await outputOf(one, ['pause', 'web', '--no-wait', ...args], { cluster: at });
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(help) });
  });

  test('refused for a missing name, if the server reports none', async () => {
    const { cluster: at } = answering('rolloutcommands', named);
    const create: Cluster['create'] = (resource, ...rest) =>
      resource.plural === who
        ? Promise.reject(new ApiError({ code: 404, reason: 'NotFound', message: 'no such thing' }))
        : at.create(resource, ...rest);
    const { err } = await outputOf(one, ['pause', 'web', '--no-wait'], { cluster: { ...at, create } });
    expect(err).toContain('"mona"; set --by to the name in that message\n');
  });

  test.each([
    [
      'a namespace that is not there',
      loose,
      ['pause', 'web', '-n', 'nowhere'],
      'the cluster refused it: namespaces "nowhere" not found',
    ],
  ])('%s', async (_what, files, args, expected) => {
    const { code, err, out } = await outputOf(files, args, { cluster });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(expected);
  });
});

test.each([
  ['2026-12-01T00:00:00Z', true],
  ['2026-12-01T23:59:59.5+02:00', true],
  ['2028-02-29T00:00:00Z', true],
  ['2000-02-29T00:00:00Z', true],
  ['2026-02-29T00:00:00Z', false],
  ['1900-02-29T00:00:00Z', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-00-01T00:00:00Z', false],
  ['2026-04-31T00:00:00Z', false],
  ['2026-12-00T00:00:00Z', false],
  ['2026-12-01T24:00:00Z', false],
  ['2026-12-01T00:60:00Z', false],
  ['2026-12-01T00:00:60Z', false],
  ['2026-12-01T00:00:00+24:00', false],
  ['2026-12-01T00:00:00', false],
  ['2026-12-01', false],
  ['2026-12-01T00:00:00Z\n', false],
])('%s is a point in time: %s', (text, expected) => {
  expect(isDateTime(text)).toBe(expected);
});

test('help lists the commands with their purpose', async () => {
  const { out } = await outputOf({}, ['--help']);
  expect(out).toMatchSnapshot('all');
  expect((await outputOf({}, ['approve', '--help'])).out).toMatchSnapshot('approve');
});
