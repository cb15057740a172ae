import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { evaluate } from '@marcbachmann/cel-js';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { changeCodes } from '../../compiler/diagnostics/change-codes.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { commits } from './engines/states.ts';
import { argoConfig } from './health/lua.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const objectsIn = (text: string): KubeObject[] =>
  parseAllDocuments(text)
    .map((each) => each.toJS() as KubeObject | null)
    .filter((object) => object !== null);

const samplesOf = (engine: string): [string, KubeObject[]][] =>
  readdirSync(join(root, 'deploy', engine, 'samples')).map((name) => [
    name,
    objectsIn(read(`deploy/${engine}/samples/${name}`)),
  ]);

/** The objects of an engine that a page shows. */
const shownOn = (page: string): KubeObject[] =>
  [...read(page).matchAll(/^```yaml\n([^]*?)^```$/gm)]
    .flatMap(([, block = '']) => objectsIn(block))
    .filter(({ apiVersion }) => /^argoproj\.io\/|\.fluxcd\.io\//.test(apiVersion));

test.each([
  ['docs/how-to/argo-cd.md', 'argocd'],
  ['docs/how-to/flux.md', 'flux'],
])('what %s shows are samples', (page, engine) => {
  const samples = samplesOf(engine).flatMap(([, objects]) => objects);
  expect(shownOn(page).length).toBeGreaterThan(0);
  for (const object of shownOn(page)) expect(samples).toContainEqual(object);
});

test('an environment of docs/gitops.md is synced with its plans alone', () => {
  const [{ spec }, source] = shownOn('docs/gitops.md') as unknown as [
    Application,
    { spec: { ignore: string } },
  ];
  const paths = ['dev', 'prod'].flatMap((name) => [
    `${name}/web.yaml`,
    `plans/${name}/shop-${name}/cloneset-web/plan.yaml`,
  ]);
  const synced = [paths[2], paths[3]];
  const { include } = spec.source.directory;
  expect([...paths, 'kruise.yaml'].filter((path) => included(include, path))).toEqual(synced);
  expect([...paths, 'kruise.yaml'].filter((path) => !isIgnored(source.spec.ignore, path))).toEqual(synced);
});

/** By the lines of a .gitignore: the last one that matches the path or a folder above it counts. */
function isIgnored(lines: string, path: string): boolean {
  const folders = path.split('/').map((_, at, all) => all.slice(0, at + 1).join('/'));
  return folders.some((each) => {
    const last = lines
      .trim()
      .split('\n')
      .filter((line) => {
        const pattern = line.replace(/^!/, '').slice(1);
        return pattern === each || (pattern.endsWith('*') && isDirectlyIn(pattern.slice(0, -1), each));
      })
      .at(-1);
    return last !== undefined && !last.startsWith('!');
  });
}

const isDirectlyIn = (folder: string, path: string): boolean =>
  path.startsWith(folder) && !path.slice(folder.length).includes('/');

describe.each(['docs/how-to/argo-cd.md', 'docs/how-to/flux.md'])('%s', (page) => {
  test('names every role by which targets and plans are written', () => {
    const roles = rolesThatWrite(/plans$|sets$/);
    expect(roles).toHaveLength(4);
    expect(roles.filter((role) => !read(page).includes(`\`${role}\``))).toEqual([]);
  });

  test('names whose account writes into another cluster', () => {
    expect(read(page)).toMatch(/nother cluster/);
  });
});

test('the page of Argo CD names every role and kind that actions need, and what a project permits', () => {
  const page = read('docs/how-to/argo-cd.md');
  const roles = rolesThatWrite(/commands$/).filter((role) => role.includes('approver'));
  expect(roles).toHaveLength(2);
  for (const role of roles) expect(page).toContain(`\`${role}\``);
  for (const kind of ['RolloutPlan', 'ClusterRolloutPlan'])
    expect(page).toContain(`action/plan.kruise.io/${kind}/*`);
  const permitted = /clusterResourceWhitelist:\n((?: {2}- .*\n)+)/.exec(page)?.[1] ?? '';
  const found = (parse(permitted) as { group: string; kind: string }[]).map(({ kind }) => kind);
  const targets = kinds.filter(({ resource }) => !resource.namespaced).map(({ id }) => id.kind);
  expect(found.sort()).toEqual([...targets, 'ClusterRolloutCommand', 'ClusterRolloutPlan'].sort());
});

/** Of the roles for people, those that may create resources of such names. */
function rolesThatWrite(names: RegExp): string[] {
  return (objectsIn(read('deploy/rbac/people.yaml')) as Role[])
    .filter(({ rules = [] }) =>
      rules.some(
        ({ resources, verbs }) => resources.some((each) => names.test(each)) && verbs.includes('create'),
      ),
    )
    .map(({ metadata }) => metadata.name);
}

test('no help recommends what keeps a sync of Argo CD waiting', () => {
  const { about, remedy } = changeCodes.KR2221;
  expect(`${about} ${remedy}`).not.toContain('PruneLast');
  expect(remedy).toContain('Prune=false');
});

test('the page of Argo CD says whose account a server-side diff needs', () => {
  expect(read('docs/how-to/argo-cd.md')).toMatch(/server-side diff the application controller .*\n.*policy/);
});

type Role = KubeObject & { rules?: { resources: string[]; verbs: string[] }[] };

interface Application {
  metadata: { annotations?: Record<string, string> };
  spec: {
    source: { path: string; directory: { recurse: boolean; include: string } };
    sources?: unknown;
    ignoreDifferences?: { jsonPointers: string[] }[];
    syncPolicy: { automated: object; syncOptions?: string[]; retry: { refresh: boolean } };
  };
}

/** A pattern of Argo CD: a star stands for slashes, too. */
const included = (pattern: string, path: string): boolean =>
  new RegExp(
    `^(?:${pattern
      .replaceAll(/[{}]/g, '')
      .split(',')
      .map((each) => each.replaceAll('.', String.raw`\.`).replaceAll('*', '.*'))
      .join('|')})$`,
  ).test(path);

describe.each(samplesOf('argocd'))('the sample %s of Argo CD', (_name, [object]) => {
  const { metadata, spec } = object as unknown as Application;

  test('takes manifests and plans from one folder that never goes, and nothing else', async () => {
    expect(spec.sources).toBeUndefined();
    expect([spec.source.path, spec.source.directory.recurse]).toEqual(['.', true]);
    const history = [{ image: 'web:1' }, { image: 'web:2' }, undefined];
    const paths = new Set(
      (await commits(history, { namespace: 'shop' })).flatMap((files) => [...files.keys()]),
    );
    const manifests = [...paths].filter((path) => /\.(ya?ml|json)$/.test(path));
    expect(manifests.filter((path) => included(spec.source.directory.include, path)).sort()).toEqual([
      'manifests/web.yaml',
      'plans/shop/cloneset-web/plan.yaml',
    ]);
    expect(manifests).toContain('kruise.yaml');
  });

  test('keeps no sync waiting, and takes the newest commit when it tries again', () => {
    expect(metadata.annotations).toBeUndefined();
    const options = spec.syncPolicy.syncOptions ?? [];
    expect(options.filter((option) => option.startsWith('PruneLast'))).toEqual([]);
    expect(spec.syncPolicy).toMatchObject({
      automated: { prune: true, selfHeal: true },
      retry: { refresh: true },
    });
  });

  test('ignores replicas only, and then does not write them', () => {
    const ignored = (spec.ignoreDifferences ?? []).flatMap(({ jsonPointers }) => jsonPointers);
    expect(ignored.filter((pointer) => pointer !== '/spec/replicas')).toEqual([]);
    expect(spec.syncPolicy.syncOptions ?? []).toEqual(
      ignored.length > 0 ? ['RespectIgnoreDifferences=true'] : [],
    );
  });
});

test('no key ignores updates of records: Argo CD applies one to objects of git alone, and records are none', () => {
  expect(Object.keys(argoConfig).filter((key) => key.includes('ignoreResourceUpdates'))).toEqual([]);
});

/** The reasons of a target without plans whose spec has to be mended. */
const UNUSABLE = new Set(['InvalidTarget', 'UnsupportedSemantics']);

const ORDER = ['Healthy', 'Suspended', 'Progressing', 'Missing', 'Degraded'];

describe('the notifications of Argo CD', () => {
  const { data } = parse(read('deploy/argocd/notifications/argocd-notifications-cm.yaml')) as {
    data: Record<string, string>;
  };
  const triggers = Object.entries(data)
    .filter(([key]) => key.startsWith('trigger.'))
    .map(([key, text]) => {
      const [first] = parse(text) as { when: string; send: string[] }[];
      return [key.replace('trigger.', ''), first] as const;
    });
  const firedFor = (health: string): string[] =>
    triggers
      .filter(([, trigger]) =>
        evaluate(trigger?.when ?? '', { app: { status: { health: { status: health } } } }),
      )
      .map(([name]) => name);

  /** Each row of the table of health, with the health of an Application that has this target and its plan. */
  const rows = read('golden/health/table.md')
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .filter((cells) => cells.length > 6)
    .map(([, , plan = '', ofPlan = '', , held = '', ofTarget = '']) => {
      const worst = Math.max(...[ofPlan, ofTarget].map((health) => ORDER.indexOf(health)));
      // Without a plan it is a target that says itself that it has failed.
      const hasFailedItself = ofPlan === '' && ofTarget === 'Degraded';
      return { plan, held, health: ORDER[worst] ?? '', hasFailedItself };
    });

  test('come when a person is wanted, and while pods move or are done they do not', () => {
    for (const { plan, held, health, hasFailedItself } of rows) {
      const isFailed = / Stalled\//.test(plan) || UNUSABLE.has(held) || hasFailedItself;
      const isHeld = held !== 'not held' && !/ Reconciling\//.test(plan);
      const wanted = isFailed ? ['rollout-failed'] : isHeld ? ['rollout-waits'] : [];
      expect([plan, held, firedFor(health)]).toEqual([plan, held, wanted]);
    }
    expect(rows.length).toBeGreaterThan(50);
  });

  test('send templates that are there', () => {
    for (const [, trigger] of triggers)
      for (const name of trigger?.send ?? []) expect(data).toHaveProperty([`template.${name}`]);
  });
});
