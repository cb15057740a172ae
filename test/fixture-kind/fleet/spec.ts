import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';

/** The label of the pods of a subset. */
export const SUBSET_LABEL = 'subset.example/name';

/** What is made of each subset. */
export type ChildSort = 'Rack' | 'CloneSet' | 'StatefulSet';

export interface Subset {
  name: string;
  slots: number;
  /** It is taken to another template as a whole. */
  whole: boolean;
}

/** What a fleet asks for. */
export interface FleetSpec {
  of: ChildSort;
  subsets: readonly Subset[];
  template: JsonObject;
  maxUnavailable: number;
  paused: boolean;
}

/** The spec of a target, defaults filled in. */
export function specOf({ spec }: KubeObject): FleetSpec {
  const {
    of = 'Rack',
    subsets = [],
    template = {},
    maxUnavailable = 1,
    paused = false,
  } = spec as Partial<Omit<FleetSpec, 'subsets'>> & { subsets?: (Partial<Subset> & { name: string })[] };
  return {
    of,
    subsets: subsets.map(({ name, slots = 0, whole = false }) => ({ name, slots, whole })),
    template,
    maxUnavailable,
    paused,
  };
}

export function slotsOf({ subsets }: Pick<FleetSpec, 'subsets'>): number {
  return subsets.reduce((sum, { slots }) => sum + slots, 0);
}

/** The name of the rack of a subset. */
export function childName({ metadata }: KubeObject, subset: string): string {
  return `${metadata.name}-${subset}`;
}

/** The template of a subset: that of all, with its label. */
export function templateOf(template: JsonObject, subset: string): JsonObject {
  const metadata = (template['metadata'] ?? {}) as { labels?: JsonObject };
  return { ...template, metadata: { ...metadata, labels: { ...metadata.labels, [SUBSET_LABEL]: subset } } };
}
