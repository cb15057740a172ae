import type { KubeObject } from '../../schemas/wire/object.ts';
import { compareCodePoints } from '../values/canonical-json.ts';
import { selectorPredicate } from '../values/selector.ts';
import { CLOSED_NAMESPACES } from '../values/system-namespaces.ts';
import type { Targets } from './normalize.ts';

/** Namespaces that never get a copy, whatever names them (OpenKruise resourcedistribution, section 2). */
const NEVER: ReadonlySet<string> = new Set(['kube-system', 'kube-public']);
const CLOSED: ReadonlySet<string> = new Set(CLOSED_NAMESPACES);

/** Whether policies refuse each write of the runtime in a namespace: nothing is made, changed or deleted there. */
export function isClosed(namespace: string): boolean {
  return CLOSED.has(namespace);
}

/** A namespace that is to have a copy. */
export interface TargetNamespace {
  name: string;
  /**
   * `open`: it exists. `gone`: it does not exist, or is being deleted. `closed`: the runtime may not write there; only a namespace
   * that is named is reported as that, others are left out.
   */
  is: 'open' | 'gone' | 'closed';
}

/**
 * The namespaces that are to have a copy, by name: (all ∪ included ∪ selected) − excluded − those of Kubernetes (OpenKruise
 * resourcedistribution, section 2). With all of them the included ones are not read.
 *
 * @param namespaces all that exist
 */
export function targetNamespaces(targets: Targets, namespaces: readonly KubeObject[]): TargetNamespace[] {
  const { all, included, excluded, selector } = targets;
  const isSelected = selectorPredicate(selector);
  const isOut = (name: string): boolean => excluded.has(name) || NEVER.has(name);
  const found = new Map<string, TargetNamespace>();
  for (const { metadata } of namespaces) {
    const { name, labels } = metadata;
    if (isOut(name) || isClosed(name) || !(all || isSelected(labels))) continue;
    found.set(name, { name, is: metadata.deletionTimestamp === undefined ? 'open' : 'gone' });
  }
  if (!all) {
    const existing = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata]));
    for (const name of included) {
      if (isOut(name)) continue;
      const known = existing.get(name);
      const isThere = known !== undefined && known.deletionTimestamp === undefined;
      found.set(name, { name, is: isClosed(name) ? 'closed' : isThere ? 'open' : 'gone' });
    }
  }
  return [...found.values()].sort((a, b) => compareCodePoints(a.name, b.name));
}
