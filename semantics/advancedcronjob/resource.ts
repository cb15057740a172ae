import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';

/** A kind of object that a schedule creates. */
export type ChildKind = 'Job' | 'BroadcastJob' | 'ImageListPullJob';

const children: readonly Resource[] = [
  { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true },
  resources.BroadcastJob,
  resources.ImageListPullJob,
];

/** The resources of the children, in the versions that are read and written. */
export const childResources = Object.fromEntries(children.map((each) => [each.kind, each])) as Readonly<
  Record<ChildKind, Resource>
>;

/** `batch/v1`: as an object names its version. */
export function apiVersionOf({ group, version }: Resource): string {
  return `${group}/${version}`;
}
