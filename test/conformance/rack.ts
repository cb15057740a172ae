import { parseAllDocuments } from 'yaml';
import { deployOutputs } from '../../deploy/generate/outputs.ts';
import { crds } from '../../schemas/generated/crds.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PlannedKind } from '../../semantics/kinds/kind.ts';
import { templateHash } from '../../semantics/template/canonical.ts';
import { rackDefinitions } from '../fixture-kind/definitions.ts';
import { aisleKind, rackKind } from '../fixture-kind/kind.ts';
import { registered } from '../fixture-kind/registered.ts';
import { brokenBounds } from './pod-bounds.ts';
import { podsOf, podUnit } from './serving.ts';
import { NAME, NAMESPACE, locationOf, type State, type Subject } from './subject.ts';

const served = [...crds, ...rackDefinitions];
const roles = deployOutputs(registered, served).get('deploy/rbac/runtime.yaml') ?? '';

function at({ id, resource }: PlannedKind, version: number): State {
  const revision = `db:${version}`;
  const template = {
    metadata: { labels: { app: NAME } },
    spec: { containers: [{ name: 'main', image: revision }] },
  };
  const manifest: KubeObject = {
    apiVersion: `${resource.group}/${resource.version}`,
    kind: id.kind,
    metadata: locationOf(resource),
    spec: { slots: 4, ...(!resource.namespaced && { namespace: NAMESPACE }), template },
  };
  return { manifest, revision, image: revision };
}

function subjectOf(kind: PlannedKind): Subject {
  return {
    kind,
    world: { crds: served },
    roles: parseAllDocuments(roles).map((document) => document.toJS() as KubeObject),
    hashOf: (manifest) => templateHash((manifest['spec'] as { template: JsonObject }).template),
    sizeOf: (target) => (target['spec'] as { slots: number }).slots,
    units: (objects, target) =>
      podsOf(objects, target).map((pod) => podUnit(pod, pod.spec.containers[0]?.image ?? '')),
    brokenBounds,
    reusesNames: true,
    paused: (paused) => ({ paused }),
    changes: [
      {
        title: 'made anew, slot by slot',
        mode: 'Recreate',
        states: [at(kind, 1), at(kind, 2), at(kind, 3)],
      },
    ],
    worlds: [],
  };
}

/** The kind of the tests: pods in numbered slots, recreated one at a time. */
export const rack: Subject = subjectOf(rackKind);

/** The same kind, cluster-scoped. */
export const aisle: Subject = subjectOf(aisleKind);
