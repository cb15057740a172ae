import type { Resource } from '../../schemas/wire/cluster.ts';
import { OPENKRUISE_GROUP } from '../kinds/openkruise.ts';

/** A kind of object that a schedule creates. */
export type ChildKind = 'Job' | 'BroadcastJob';

/** The resources of the children, in the versions that are read and written. */
export const childResources: Readonly<Record<ChildKind, Resource>> = {
  Job: { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
  BroadcastJob: {
    group: OPENKRUISE_GROUP,
    version: 'v1beta1',
    kind: 'BroadcastJob',
    plural: 'broadcastjobs',
    namespaced: true,
  },
};

/** `batch/v1`: as an object names its version. */
export function apiVersionOf({ group, version }: Resource): string {
  return `${group}/${version}`;
}
