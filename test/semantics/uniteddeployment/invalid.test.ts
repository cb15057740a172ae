import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { unitedDeploymentKind } from '../../../semantics/uniteddeployment/kind.ts';
import { podTemplate, united, type Web, zones } from '../../runtime/united-world.ts';

const faults = (web: Web): string[] =>
  unitedDeploymentKind.validate(united(web)).map(({ path, rule }) => `${path.join('.')} ${rule}`);
const subset = (more: JsonObject): JsonObject => ({ name: 'a', ...more });
const selector = { matchLabels: { app: 'web' } };
const deployment = { spec: { template: podTemplate('web:1') } };
const at = 'spec.topology.subsets';

describe('a UnitedDeployment', () => {
  it('of CloneSets in zones is valid', () => {
    expect(faults({})).toEqual([]);
  });

  it.each<[string, Web, string]>([
    ['no template (UD-7)', { spec: { template: {} } }, 'spec.template must have one of cloneSetTemplate'],
    [
      'two templates (UD-7)',
      {
        spec: {
          template: {
            cloneSetTemplate: { spec: { selector, template: podTemplate('web:1') } },
            deploymentTemplate: deployment,
          },
        },
      },
      'spec.template.deploymentTemplate must not be set beside cloneSetTemplate',
    ],
    ['no subset', { subsets: [] }, `${at} must have at least one item`],
    ['a name twice', { subsets: [subset({}), subset({})] }, `${at}.1.name must be unique`],
    ['a name of another form', { subsets: [{ name: 'Zone_A' }] }, `${at}.0.name must be a DNS label`],
    [
      'a name that makes that of a child too long',
      { subsets: [{ name: 'z'.repeat(63) }] },
      `${at}.0.name must be shorter`,
    ],
    [
      'replicas beside a most (UD-3)',
      { subsets: [subset({ replicas: 1 }), { name: 'b', maxReplicas: 1 }, { name: 'c' }] },
      `${at}.0.replicas must not be set where a subset has minReplicas`,
    ],
    [
      'a most of every subset (UD-4)',
      { subsets: [subset({ maxReplicas: 3 }), { name: 'b', maxReplicas: 3 }] },
      `${at}.1.maxReplicas must not be set for every subset`,
    ],
    [
      'a least that is more than the most',
      { subsets: [subset({ minReplicas: 5, maxReplicas: 2 }), { name: 'b' }] },
      `${at}.0.minReplicas must not be more than maxReplicas`,
    ],
    [
      'a part of a percentage',
      { subsets: [subset({ replicas: '10.5%' }), { name: 'b' }] },
      `${at}.0.replicas must be a count, or a whole percentage`,
    ],
    ['a percentage beyond all', { subsets: [subset({ minReplicas: '101%' }), { name: 'b' }] }, 'up to 100%'],
    ['less than no pods', { subsets: [subset({ replicas: -1 }), { name: 'b' }] }, 'must be a count'],
    [
      'more than all pods',
      { subsets: [subset({ replicas: 11 }), { name: 'b' }] },
      `${at} must not have more replicas than spec.replicas: they have 11, and it is 10`,
    ],
    [
      'fewer than all pods',
      { subsets: [subset({ replicas: 4 }), { name: 'b', replicas: '50%' }] },
      `${at} must have as many replicas as spec.replicas, or one that has none: they have 9, and it is 10`,
    ],
    [
      'replicas with Adaptive (UD-5)',
      {
        spec: {
          topology: {
            subsets: [subset({ replicas: 1 }), { name: 'b' }],
            scheduleStrategy: { type: 'Adaptive' },
          },
        },
      },
      `${at}.0.replicas must not be set with the type Adaptive`,
    ],
    [
      'a reservation with StatefulSets (UD-6)',
      {
        spec: {
          topology: {
            subsets: zones('ab'),
            scheduleStrategy: { type: 'Adaptive', adaptive: { reserveUnschedulablePods: true } },
          },
          template: { statefulSetTemplate: deployment },
        },
      },
      'spec.topology.scheduleStrategy.adaptive.reserveUnschedulablePods must not be set',
    ],
    [
      'a partition of no subset (UD-9)',
      { spec: { updateStrategy: { manualUpdate: { partitions: { zzz: 1 } } } } },
      'spec.updateStrategy.manualUpdate.partitions.zzz must be the name of a subset',
    ],
    [
      'a negative partition',
      { spec: { updateStrategy: { manualUpdate: { partitions: { a: -1 } } } } },
      'partitions.a must be at least 0',
    ],
    [
      'another operator of nodes',
      { subsets: [subset({ nodeSelectorTerm: { matchExpressions: [{ key: 'zone', operator: 'Is' }] } })] },
      `${at}.0.nodeSelectorTerm.matchExpressions.0.operator`,
    ],
    [
      'a toleration that the server refuses',
      { subsets: [subset({ tolerations: [{ operator: 'Equal', value: 'x' }] })] },
      `${at}.0.tolerations`,
    ],
    [
      'a patch of the service account',
      { subsets: [subset({ patch: { spec: { serviceAccountName: 'root' } } })] },
      `${at}.0.patch.spec.serviceAccountName must not be set`,
    ],
    [
      'a patch that does not fit',
      { subsets: [subset({ patch: { spec: { containers: [{ image: 'x' }] } } })] },
      `${at}.0.patch.spec.containers.0.name must be there`,
    ],
    [
      'a patch of the label of the subset',
      { subsets: [subset({ patch: { metadata: { labels: { 'apps.kruise.io/subset-name': 'b' } } } })] },
      `${at}.0.patch`,
    ],
    [
      'a patch of a label that is selected',
      { subsets: [subset({ patch: { metadata: { labels: { app: 'other' } } } })] },
      `${at}.0.patch does not match the labels of the template`,
    ],
    [
      'a template that is not selected',
      { spec: { selector: { matchLabels: { app: 'other' } } } },
      'spec.selector does not match the labels of the template',
    ],
    ['no selector', { spec: { selector: {} } }, 'spec.selector'],
    [
      'pods that end',
      {
        child: {
          template: {
            ...podTemplate('x'),
            spec: { restartPolicy: 'Never', containers: [{ name: 'm', image: 'x' }] },
          },
        },
      },
      'spec.template.cloneSetTemplate.spec.template.spec.restartPolicy must be Always',
    ],
    [
      'replicas in the template of StatefulSets',
      { field: 'advancedStatefulSetTemplate', child: { replicas: 2 } },
      'spec.template.advancedStatefulSetTemplate.spec.replicas must not be set: the subsets have the replicas',
    ],
    [
      'a partition in the template of StatefulSets',
      {
        field: 'advancedStatefulSetTemplate',
        child: { updateStrategy: { rollingUpdate: { partition: 1 } } },
      },
      'spec.template.advancedStatefulSetTemplate.spec.updateStrategy.rollingUpdate.partition must not be set',
    ],
    [
      'a wrong reservation of StatefulSets',
      { field: 'advancedStatefulSetTemplate', child: { reserveOrdinals: ['5-2'] } },
      'spec.template.advancedStatefulSetTemplate.spec.reserveOrdinals.0 must be an ordinal',
    ],
  ])('is invalid with %s', (_what, web, expected) => {
    expect(faults(web).join('\n')).toContain(expected);
  });

  it('is valid with a selector of expressions alone (UD-41)', () => {
    const expressions = { matchExpressions: [{ key: 'app', operator: 'In', values: ['web'] }] };
    expect(faults({ spec: { selector: expressions } })).toEqual([]);
  });
});

describe('what is not executed', () => {
  const fields = (web: Web): string[] =>
    unitedDeploymentKind.unsupported(united(web)).map(({ path }) => path.join('.'));

  it.each<[string, Web, string[]]>([
    ['nothing of CloneSets', {}, []],
    ['nothing of StatefulSets', { field: 'advancedStatefulSetTemplate' }, []],
    [
      'claims that grow with pods',
      {
        field: 'advancedStatefulSetTemplate',
        child: { volumeClaimUpdateStrategy: { type: 'OnPodRollingUpdate' } },
      },
      ['spec.template.advancedStatefulSetTemplate.spec.volumeClaimUpdateStrategy.type'],
    ],
    [
      'updates by hand of StatefulSets',
      { field: 'advancedStatefulSetTemplate', child: { updateStrategy: { type: 'OnDelete' } } },
      ['spec.template.advancedStatefulSetTemplate.spec.updateStrategy.type'],
    ],
    ['nothing of those of Kubernetes', { field: 'statefulSetTemplate' }, []],
    [
      'updates by hand of those of Kubernetes',
      { field: 'statefulSetTemplate', child: { updateStrategy: { type: 'OnDelete' } } },
      ['spec.template.statefulSetTemplate.spec.updateStrategy.type'],
    ],
    [
      'updates by hand',
      { child: { updateStrategy: { type: 'OnDelete' } } },
      ['spec.template.cloneSetTemplate.spec.updateStrategy.type'],
    ],
    ['partitions of 0', { spec: { updateStrategy: { manualUpdate: { partitions: { a: 0 } } } } }, []],
  ])('%s', (_what, web, expected) => {
    expect(fields(web)).toEqual(expected);
  });
});
