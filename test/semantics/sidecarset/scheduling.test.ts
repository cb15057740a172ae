import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { Condition } from '../../../schemas/wire/object.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { COMPLETE_ANNOTATION } from '../../../semantics/revision/revision.ts';
import { takingPart } from '../../../semantics/sidecarset/left-out.ts';
import { mayNotFit } from '../../../semantics/sidecarset/scheduling.ts';
import { sidecarSetView } from '../../../semantics/sidecarset/view.ts';
import { sidecar } from './model.ts';
import { rolling } from './rolling.ts';

const cpu = (request: string): JsonObject => ({ resources: { requests: { cpu: request } } });
const limit = (amount: string): JsonObject => ({ resources: { limits: { cpu: amount } } });
const port = (fields: JsonObject): JsonObject => ({ ports: [{ containerPort: 80, ...fields }] });
const claim = (claimName: string): JsonObject => ({ name: 'v', persistentVolumeClaim: { claimName } });
const policy = (request: string): JsonObject => ({
  resourcesPolicy: {
    targetContainersMode: 'sum',
    targetContainersNameRegex: '.*',
    resourcesExpr: { requests: { cpu: request } },
  },
});
const hot = { upgradeStrategy: { upgradeType: 'HotUpgrade', hotUpgradeEmptyImage: 'empty:1' } };
const log = (fields: JsonObject = {}): JsonObject => ({ containers: [sidecar('log', fields)] });

/** A set that was complete with the first content, and has the second; two pods had the first, and two have the second. One of each has no node. */
function viewFrom(before: JsonObject, after: JsonObject, conditions: readonly Condition[] = []) {
  const world = rolling();
  world.set('log', before);
  world.reconcile();
  for (const name of ['a', 'b']) world.create(name);
  world.kubelet();
  const [first] = world.revisions.values();
  world.set('log', after);
  world.reconcile();
  for (const name of ['c', 'd']) world.create(name);
  const target = world.sets.get('log');
  if (target === undefined) throw new Error('there is no set');
  const revisions = [...world.revisions.values()].map((each) => {
    const { [COMPLETE_ANNOTATION]: _complete, ...others } = each.metadata.annotations ?? {};
    const isFirst = each.metadata.name === first?.metadata.name;
    const annotations = { ...others, ...(isFirst && { [COMPLETE_ANNOTATION]: '1' }) };
    return { ...each, metadata: { ...each.metadata, annotations } };
  });
  const pods = [...world.pods.values()].map((pod): Pod => {
    const { nodeName, ...spec } = pod.spec;
    const isStranded = ['a', 'c'].includes(pod.metadata.name);
    const status = { phase: 'Pending', conditions: [...conditions] };
    return isStranded ? { ...pod, spec, status } : { ...pod, spec: { ...spec, nodeName } };
  });
  return sidecarSetView({ target, pods, revisions, takenNames: new Set() });
}

const unscheduled = (reason: string): Condition => ({ type: 'PodScheduled', status: 'False', reason });

test.each([
  ['another image', { image: 'log:2' }, 'Unschedulable', 'b d'],
  ['a request', { image: 'log:2', ...cpu('9') }, 'Unschedulable', 'b c d'],
  ['a request, and it has a gate', { image: 'log:2', ...cpu('9') }, 'SchedulingGated', 'b d'],
])('a pod that has a change to %s, and no node', (_what, fields, reason, counted) => {
  const view = viewFrom(log(), log(fields), [unscheduled(reason)]);
  // Two of four are more than a few, so that the others are many.
  const more = Array.from({ length: 20 }, (_, at) => at).flatMap(() => view.units.slice(-1));
  const units = [...view.units, ...more];
  const whole = { ...view, units };
  const found = units.filter(takingPart(whole).isCounted);
  expect([...new Set(found.map(({ pod }) => pod.metadata.name))].join(' ')).toBe(counted);
});

test.each<[what: string, before: JsonObject, after: JsonObject, may: boolean]>([
  ['another image', log(), log({ image: 'log:2' }), false],
  ['a first request', log(), log(cpu('9')), true],
  ['a larger request', log(cpu('500m')), log(cpu('1')), true],
  ['a smaller request', log(cpu('1')), log(cpu('500m')), false],
  ['the same request in another form', log(cpu('1')), log({ image: 'log:2', ...cpu('1000m') }), false],
  ['a first limit, which is requested, too', log(), log(limit('1')), true],
  ['a limit beside an equal request', log(cpu('1')), log(limit('1')), false],
  ['no request any more', log(cpu('1')), log(), false],
  ['another container', log(), { containers: [sidecar('log'), sidecar('mesh')] }, true],
  ['a container less', { containers: [sidecar('log'), sidecar('mesh')] }, log(), false],
  ['an init container', log(), { ...log(), initContainers: [sidecar('first')] }, true],
  ['a hot pair', log(), log(hot), true],
  ['a port', log(), log(port({})), true],
  ['a port of the node', log(port({})), log(port({ hostPort: 80, hostIP: '10.0.0.1' })), true],
  ['the same port with another name', log(port({ name: 'a' })), log(port({ name: 'b' })), false],
  ['a policy of resources', log(), log(policy('max(cpu*50%, 50m)')), true],
  ['another policy', log(policy('cpu*50%')), log(policy('cpu*60%')), true],
  ['no policy any more', log(policy('cpu*50%')), log(), false],
  ['a claim', log(), { ...log(), volumes: [claim('a')] }, true],
  ['another claim', { ...log(), volumes: [claim('a')] }, { ...log(), volumes: [claim('b')] }, true],
  [
    'the same claim',
    { ...log(), volumes: [claim('a')] },
    { ...log({ image: 'log:2' }), volumes: [claim('a')] },
    false,
  ],
  ['a volume on any node', log(), { ...log(), volumes: [{ name: 'v', configMap: { name: 'c' } }] }, false],
])('a change to %s', (_what, before, after, may) => {
  expect(mayNotFit(viewFrom(before, after))).toBe(may);
});
