import type { KubeObject } from '../../schemas/wire/object.ts';
import { apiVersionOf, type ScalePaths, type Served } from '../api/registry.ts';
import { shapeOf } from '../kinds/shapes.ts';
import { fieldAt, type Fields } from '../../schemas/pods/fields.ts';
import { withField } from '../store/value.ts';
import { checkConfig } from './config.ts';
import { managerId, type Managed, type Managers } from './entries.ts';
import { difference, intersection, setOf, type MaybeSet } from './set.ts';

const scaleSchema = shapeOf('autoscaling', 'v1', 'Scale');
const scaleKind = {
  type: { group: 'autoscaling', kind: 'Scale' },
  version: { version: 'v1', hasStatus: false, ...(scaleSchema === undefined ? {} : { schema: scaleSchema }) },
};

/** Converts an applied Scale to a configuration of the object. */
export function configOfScale({ type, version }: Served, paths: ScalePaths, scale: unknown): KubeObject {
  checkConfig(scaleKind, scale);
  const { name, namespace, resourceVersion, uid } = scale.metadata;
  const replicas = fieldAt(scale, ['spec', 'replicas']);
  const config: Fields = {
    apiVersion: apiVersionOf(type.group, version.version),
    kind: type.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(uid === undefined ? {} : { uid }),
    },
  };
  return (replicas === undefined ? config : withField(config, paths.specReplicas, replicas)) as KubeObject;
}

/** The single field that a scale write can change. */
export function replicasOf({ version }: Served): MaybeSet {
  return version.scale === undefined ? undefined : setOf(version.scale.specReplicas);
}

/**
 * The managers after a scale write: the non-apply owner of the replicas gets a separate entry for them, in the
 * version of the request and without timestamp. undefined if the replicas have no owner; then a non-apply write
 * adds none.
 */
export function managersForScale(served: Served, managers: Managers): Managers | undefined {
  const replicas = replicasOf(served);
  const apiVersion = apiVersionOf(served.type.group, served.version.version);
  const result: Managers = new Map();
  let owned = false;
  for (const [id, managed] of managers) {
    const part = intersection(managed.fieldsV1, replicas);
    if (part !== undefined) owned = true;
    if (part === undefined || managed.operation === 'Apply') {
      result.set(id, managed);
      continue;
    }
    const rest = difference(managed.fieldsV1, replicas);
    if (rest !== undefined) result.set(id, { ...managed, fieldsV1: rest });
    const { time: _forgotten, ...timeless } = managed;
    const moved: Managed = { ...timeless, apiVersion, fieldsV1: part };
    // The other entry of the manager can be equal except for its fields.
    result.set(`${managerId(moved)} of scale`, moved);
  }
  return owned ? result : undefined;
}
