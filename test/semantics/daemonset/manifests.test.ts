import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { lintDaemonSet } from '../../../semantics/daemonset/git-lint.ts';
import { daemonSetGit } from '../../../semantics/daemonset/git.ts';
import { invalidDaemonSet } from '../../../semantics/daemonset/invalid.ts';
import { daemonSetLimits } from '../../../semantics/daemonset/limits.ts';
import { normalizeDaemonSet, PROGRESSIVE_ANNOTATION } from '../../../semantics/daemonset/normalize.ts';
import { daemonSetStatusFacts } from '../../../semantics/daemonset/status-facts.ts';
import type { InvalidField } from '../../../semantics/fields/problems.ts';
import { lowerOf, updateLimits } from '../../../semantics/limits/window.ts';

const ROLLING = 'spec.updateStrategy.rollingUpdate';

const container: JsonObject = { name: 'log', image: 'log:1' };

/** A valid DaemonSet with these parts of its spec in place of its own. */
function daemonSet(spec: JsonObject = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'DaemonSet',
    metadata: { name: 'log', namespace: 'ops', ...metadata },
    spec: {
      selector: { matchLabels: { app: 'log' } },
      template: { metadata: { labels: { app: 'log' } }, spec: { containers: [container] } },
      ...spec,
    },
  };
}

const rolling = (rollingUpdate: JsonObject): JsonObject => ({ updateStrategy: { rollingUpdate } });

const podSpec = (spec: JsonObject, more: JsonObject = {}): KubeObject =>
  daemonSet({
    template: { metadata: { labels: { app: 'log' } }, spec: { containers: [container], ...spec } },
    ...more,
  });

const pathsOf = (found: readonly InvalidField[]): string[] => found.map(({ path }) => path.join('.'));

describe('both versions are read with the defaults of OpenKruise', () => {
  test('of a manifest with selector and template alone (DS-1)', () => {
    const { selector, template, ...normal } = normalizeDaemonSet(daemonSet());
    expect(selector).toEqual({ matchLabels: { app: 'log' } });
    expect(template).toEqual({ metadata: { labels: { app: 'log' } }, spec: { containers: [container] } });
    expect(normal).toEqual({
      volumeClaimTemplates: [],
      strategy: { type: 'Standard', maxUnavailable: 1 },
      policy: 'ReCreate',
      resizes: false,
      partition: 0,
      nodeSelector: undefined,
      paused: false,
      partitionedScaling: false,
      burstReplicas: 250,
      minReadySeconds: 0,
      revisionHistoryLimit: 10,
      lifecycle: {},
    });
  });

  const inPlace = 'InPlaceIfPossible';
  test.each<[what: string, strategy: JsonObject, expected: object]>([
    ['nothing', {}, { type: 'Standard', maxUnavailable: 1 }],
    ['an empty rollingUpdate', { rollingUpdate: {} }, { type: 'Standard', maxUnavailable: 1 }],
    ['OnDelete', { type: 'OnDelete', rollingUpdate: { maxSurge: 1 } }, { type: 'OnDelete' }],
    ['maxUnavailable', rollingOf({ maxUnavailable: '30%' }), { type: 'Standard', maxUnavailable: '30%' }],
    ['maxSurge', rollingOf({ maxSurge: 2 }), { type: 'Surging', maxSurge: 2 }],
    [
      'maxSurge with a maxUnavailable of 0',
      rollingOf({ maxSurge: 2, maxUnavailable: 0 }),
      { type: 'Surging', maxSurge: 2 },
    ],
    [
      'a maxSurge of 0%',
      rollingOf({ maxSurge: '0%', maxUnavailable: 3 }),
      { type: 'Standard', maxUnavailable: 3 },
    ],
    ['in place', rollingOf({ rollingUpdateType: inPlace }), { type: inPlace, maxUnavailable: 1 }],
    [
      'in place, by three',
      rollingOf({ rollingUpdateType: inPlace, maxUnavailable: 3 }),
      { type: inPlace, maxUnavailable: 3 },
    ],
    // The alias of v1alpha1, with defaults of its own.
    ['Surging (DS-2)', rollingOf({ rollingUpdateType: 'Surging' }), { type: 'Surging', maxSurge: 1 }],
    [
      'Surging by a third',
      rollingOf({ rollingUpdateType: 'Surging', maxSurge: '33%' }),
      { type: 'Surging', maxSurge: '33%' },
    ],
  ])('%s', (_what, updateStrategy, expected) => {
    for (const version of ['v1alpha1', 'v1beta1']) {
      const manifest = { ...daemonSet({ updateStrategy }), apiVersion: `apps.kruise.io/${version}` };
      expect(normalizeDaemonSet(manifest).strategy).toEqual(expected);
    }
  });

  test('fields of a rolling update', () => {
    const selector = { matchLabels: { pool: 'canary' } };
    expect(
      normalizeDaemonSet(daemonSet(rolling({ partition: '50%', paused: true, selector }))),
    ).toMatchObject({
      partition: '50%',
      paused: true,
      nodeSelector: selector,
    });
    expect(normalizeDaemonSet(daemonSet(rolling({ selector: {} }))).nodeSelector).toEqual({});
    const onDelete = {
      updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 3, paused: true, selector } },
    };
    expect(normalizeDaemonSet(daemonSet(onDelete))).toMatchObject({
      partition: 0,
      paused: false,
      nodeSelector: undefined,
    });
  });

  // Checklist 54; the server converts nothing, so that the version of the manifest says nothing in the cluster.
  test.each<[annotation: string | undefined, field: JsonObject | undefined, expected: boolean]>([
    [undefined, undefined, false],
    ['true', undefined, true],
    ['True', undefined, false],
    ['true', {}, true],
    ['true', { partitionedScaling: false }, false],
    [undefined, { partitionedScaling: true }, true],
  ])(
    'the annotation %j and the field %j: progressive is %j (DS-54)',
    (annotation, scaleStrategy, expected) => {
      const manifest = daemonSet(
        scaleStrategy === undefined ? {} : { scaleStrategy },
        annotation === undefined ? {} : { annotations: { [PROGRESSIVE_ANNOTATION]: annotation } },
      );
      expect(normalizeDaemonSet(manifest).partitionedScaling).toBe(expected);
    },
  );

  test('of the hooks, preDelete alone counts', () => {
    const hook = { labelsHandler: { drain: 'true' } };
    const { lifecycle } = normalizeDaemonSet(daemonSet({ lifecycle: { preDelete: hook, preNormal: hook } }));
    expect(Object.keys(lifecycle)).toEqual(['preDelete']);
  });
});

function rollingOf(rollingUpdate: JsonObject): JsonObject {
  return { rollingUpdate };
}

describe('what admission refuses', () => {
  test.each<[what: string, manifest: KubeObject, faults: string[]]>([
    ['nothing', daemonSet(), []],
    [
      'every field',
      daemonSet({
        ...rolling({ maxUnavailable: '100%', partition: '50%', selector: { matchLabels: { a: 'b' } } }),
        lifecycle: { preDelete: { labelsHandler: { drain: 'true' } } },
      }),
      [],
    ],
    ['both limits (DS-4)', daemonSet(rolling({ maxUnavailable: 1, maxSurge: 1 })), [`${ROLLING}.maxSurge`]],
    ['neither (DS-5)', daemonSet(rolling({ maxUnavailable: 0, maxSurge: 0 })), [`${ROLLING}.maxUnavailable`]],
    ['a maxSurge of 0 alone (DS-7)', daemonSet(rolling({ maxSurge: 0 })), [`${ROLLING}.maxUnavailable`]],
    ['neither, as percentages', daemonSet(rolling({ maxUnavailable: '00%' })), [`${ROLLING}.maxUnavailable`]],
    [
      'Surging with maxUnavailable',
      daemonSet(rolling({ rollingUpdateType: 'Surging', maxUnavailable: 1 })),
      [`${ROLLING}.maxSurge`],
    ],
    [
      'Surging with a maxSurge of 0',
      daemonSet(rolling({ rollingUpdateType: 'Surging', maxSurge: 0 })),
      [`${ROLLING}.maxUnavailable`],
    ],
    [
      'extra pods in place (DS-6)',
      daemonSet(rolling({ rollingUpdateType: 'InPlaceIfPossible', maxSurge: 1 })),
      [`${ROLLING}.maxSurge`],
    ],
    [
      'any limits with OnDelete',
      daemonSet({ updateStrategy: { type: 'OnDelete', rollingUpdate: { maxSurge: 0 } } }),
      [],
    ],
    ['more than all', daemonSet(rolling({ maxUnavailable: '101%' })), [`${ROLLING}.maxUnavailable`]],
    [
      'a partition of more than all (DS-8)',
      daemonSet(rolling({ partition: '120%' })),
      [`${ROLLING}.partition`],
    ],
    [
      'a selector of nodes that is none',
      daemonSet(rolling({ selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } })),
      [`${ROLLING}.selector.matchExpressions.0.values`],
    ],
    [
      'a hook of updates in place (DS-10)',
      daemonSet({ lifecycle: { inPlaceUpdate: {} } }),
      ['spec.lifecycle.inPlaceUpdate'],
    ],
    [
      'another restartPolicy (DS-9)',
      podSpec({ restartPolicy: 'OnFailure' }),
      ['spec.template.spec.restartPolicy'],
    ],
    [
      'a deadline of pods (DS-9)',
      podSpec({ activeDeadlineSeconds: 60 }),
      ['spec.template.spec.activeDeadlineSeconds'],
    ],
    ['an empty selector', daemonSet({ selector: {} }), ['spec.selector']],
    ['a selector of other pods', daemonSet({ selector: { matchLabels: { app: 'web' } } }), ['spec.selector']],
  ])('%s', (_what, manifest, faults) => {
    expect(pathsOf(invalidDaemonSet(manifest))).toEqual(faults);
  });
});

describe('what the compiler refuses beside', () => {
  const surge = rolling({ maxSurge: 1 });
  const port = 'spec.template.spec.containers.0.ports.0';
  const listening = (ports: JsonObject[], more: JsonObject = {}): JsonObject => ({
    containers: [{ ...container, ports }],
    ...more,
  });
  const antiAffinity = (topologyKey: string, app: string): JsonObject => ({
    affinity: {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey, labelSelector: { matchLabels: { app } } },
        ],
      },
    },
  });

  test.each<[what: string, manifest: KubeObject, faults: string[]]>([
    ['nothing', podSpec({}, surge), []],
    ['a port of the pod, with extra pods', podSpec(listening([{ containerPort: 80 }]), surge), []],
    [
      'a port of the node, with extra pods',
      podSpec(listening([{ containerPort: 80, hostPort: 80 }]), surge),
      [port],
    ],
    ['a port of the node', podSpec(listening([{ containerPort: 80, hostPort: 80 }])), []],
    [
      'any port in the network of the node, with extra pods',
      podSpec(listening([{ containerPort: 80 }], { hostNetwork: true }), surge),
      [port],
    ],
    [
      'one of a sidecar',
      podSpec(
        {
          initContainers: [
            { ...container, restartPolicy: 'Always', ports: [{ containerPort: 80, hostPort: 80 }] },
          ],
        },
        surge,
      ),
      ['spec.template.spec.initContainers.0.ports.0'],
    ],
    [
      'one of a container that ends',
      podSpec({ initContainers: [{ ...container, ports: [{ containerPort: 80, hostPort: 80 }] }] }, surge),
      [],
    ],
    [
      'pods that exclude each other on a node, with extra pods',
      podSpec(antiAffinity('kubernetes.io/hostname', 'log'), surge),
      ['spec.template.spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution.0'],
    ],
    ['pods that exclude others', podSpec(antiAffinity('kubernetes.io/hostname', 'web'), surge), []],
    ['a burst of none', daemonSet({ burstReplicas: 0 }), ['spec.burstReplicas']],
    ['a burst of 0% (DS-47)', daemonSet({ burstReplicas: '0%' }), ['spec.burstReplicas']],
    ['a burst of 1%', daemonSet({ burstReplicas: '1%' }), []],
  ])('%s', (_what, manifest, faults) => {
    expect(pathsOf(lintDaemonSet(manifest, undefined))).toEqual(faults);
  });

  test.each([
    ['10%', 5, true],
    ['10%', 9, true],
    ['10%', 10, false],
    ['1%', 99, true],
    ['1%', 100, false],
    [1, 5, false],
  ])('a burst of %s of %i nodes, as kruise.yaml assumes, is none: %s (DS-47)', (burstReplicas, nodes, is) => {
    const found = lintDaemonSet(daemonSet({ burstReplicas }), nodes);
    expect(found.map(({ rule }) => rule)).toEqual(
      is
        ? [`must be at least 1 of ${nodes} nodes, or no pod is ever created, deleted or updated in place`]
        : [],
    );
  });
});

describe('limits', () => {
  const own = (spec: JsonObject): ReturnType<typeof daemonSetLimits.windowFields> =>
    daemonSetLimits.windowFields(daemonSet(rolling(spec)));

  test('a plan states both, as written', () => {
    expect(own({ maxUnavailable: '30%' })).toEqual({ maxUnavailable: '30%', maxSurge: 0 });
    expect(own({})).toEqual({ maxUnavailable: 1, maxSurge: 0 });
    expect(own({ rollingUpdateType: 'Surging' })).toEqual({ maxUnavailable: 0, maxSurge: 1 });
  });

  // Rule 6.5: of 5 nodes 30% are 1.5.
  test.each([
    [{ maxUnavailable: '30%' }, { maxUnavailable: 2, maxSurge: 0 }],
    [{ maxSurge: '30%' }, { maxUnavailable: 0, maxSurge: 2 }],
    [{ maxUnavailable: '100%' }, { maxUnavailable: 5, maxSurge: 0 }],
    [
      { maxUnavailable: 0, maxSurge: 0 },
      { maxUnavailable: 1, maxSurge: 0 },
    ],
  ])('%j of 5 nodes', (spec, expected) => {
    expect(updateLimits(daemonSetLimits, own(spec), undefined, 5)).toMatchObject(expected);
  });

  test('a surge that is set during a step by unavailable nodes lets nothing move', () => {
    const lower = lowerOf(daemonSetLimits, own({ maxSurge: 1 }), { maxUnavailable: 1, maxSurge: 0 }, 5);
    expect(lower).toEqual({ maxUnavailable: { count: 0 }, maxSurge: { count: 0 } });
  });
});

test('a manifest as the compiler reads it', () => {
  const selector = { matchLabels: { pool: 'canary' } };
  const { units, paused } = daemonSetGit.read(daemonSet(rolling({ partition: 2, paused: true, selector })));
  expect(paused).toBe(true);
  expect(units).toMatchObject({
    of: 'nodes',
    updates: { onDelete: false, policy: 'ReCreate', partition: 2, maxUnavailable: 1, maxSurge: 0 },
    within: selector,
    shown: undefined,
  });
});

describe('what a status says', () => {
  const withStatus = (status: JsonObject, spec: JsonObject = {}): KubeObject => ({
    ...daemonSet(spec, { generation: 2 }),
    status: { observedGeneration: 2, ...status },
  });
  const status: JsonObject = {
    desiredNumberScheduled: 5,
    currentNumberScheduled: 5,
    numberMisscheduled: 0,
    numberReady: 5,
    numberAvailable: 5,
    updatedNumberScheduled: 3,
  };

  test('a partition in percent rounds down (DS-27)', () => {
    const target = withStatus(status, rolling({ partition: '50%' }));
    expect(daemonSetStatusFacts.counts(target)).toMatchObject({ wanted: 5, due: 3, updated: 3 });
    expect(daemonSetStatusFacts.outcome(target)).toBe('done');
    expect(daemonSetStatusFacts.breakGlass(target)).toBe('no node is updated now');
  });

  test('without one, two nodes are left', () => {
    expect(daemonSetStatusFacts.outcome(withStatus(status))).toBe('underway');
    expect(daemonSetStatusFacts.breakGlass(withStatus(status))).toBe('2 nodes are updated now');
  });

  test('how many nodes a selector selects is not known', () => {
    const target = withStatus(status, rolling({ selector: { matchLabels: { pool: 'canary' } } }));
    expect(daemonSetStatusFacts.breakGlass(target)).toBe(
      'of 2 nodes those are updated now that its selector selects',
    );
  });

  test('with OnDelete users delete the pods', () => {
    const target = withStatus(status, { updateStrategy: { type: 'OnDelete' } });
    expect(daemonSetStatusFacts.breakGlass(target)).toBe('2 nodes are updated when users delete them');
  });
});
