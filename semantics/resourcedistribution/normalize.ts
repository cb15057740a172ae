import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { isObject } from '../values/json-shape.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import type { LabelSelector } from '../values/selector.ts';
import { COPIED, type CopiedKind } from './resource.ts';

/** The namespaces that a ResourceDistribution names. */
export interface Targets {
  all: boolean;
  included: readonly string[];
  excluded: ReadonlySet<string>;
  /** Undefined: it selects none. So does an empty one. */
  selector: LabelSelector | undefined;
}

/** A ResourceDistribution as the rules read it, of either served version. */
export interface NormalDistribution {
  /** `spec.resource` as it was written. */
  resource: JsonObject;
  /** Undefined: it is nothing that can be copied, and the object is invalid. */
  kind: CopiedKind | undefined;
  name: string;
  targets: Targets;
}

/** Reads either served version. A field of another type is read as absent. */
export function normalizeDistribution({ spec }: KubeObject): NormalDistribution {
  const fields = objectOf(spec);
  const resource = objectOf(fields['resource']);
  const kind = textOf(resource['kind']);
  const isKnown = resource['apiVersion'] === 'v1' && Object.hasOwn(COPIED, kind);
  return {
    resource,
    kind: isKnown ? (kind as CopiedKind) : undefined,
    name: textOf(objectOf(resource['metadata'])['name']),
    targets: targetsOf(objectOf(fields['targets'])),
  };
}

function targetsOf(targets: JsonObject): Targets {
  const { namespaceSelector, namespaceLabelSelector } = targets;
  const selector = namespaceSelector ?? namespaceLabelSelector;
  return {
    all: targets['allNamespaces'] === true,
    included: namesIn(targets['includedNamespaces']),
    excluded: new Set(namesIn(targets['excludedNamespaces'])),
    selector: isObject(selector) && !isEmpty(selector) ? selector : undefined,
  };
}

/** The names in a list of namespaces. */
export function namesIn(list: unknown): string[] {
  return listOf(objectOf(list)['list']).map(({ name }) => textOf(name));
}

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(objectOf(matchLabels)).length === 0 && (matchExpressions ?? []).length === 0;
}
