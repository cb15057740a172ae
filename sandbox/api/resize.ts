import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Container, Pod } from '../../schemas/pods/pod.ts';
import { qosClass } from '../kinds/podRules.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';

const lists = ['containers', 'initContainers'] as const;
const resizable = new Set(['cpu', 'memory']);

/** The pod with only the container resources updated; the rest of the proposal is ignored. */
export function withResources(proposed: KubeObject, current: KubeObject): KubeObject {
  const { spec } = current as Pod;
  const wanted = (proposed as Pod).spec;
  const resized = { ...spec };
  for (const list of lists) {
    const before = spec[list];
    if (before === undefined) continue;
    const asked = new Map(
      (Array.isArray(wanted?.[list]) ? wanted[list] : []).map((each) => [each.name, each]),
    );
    resized[list] = before.map((container) => {
      const resources = asked.get(container.name)?.resources;
      return isFields(resources) ? { ...container, resources } : container;
    });
  }
  return { ...current, spec: resized };
}

function checkContainer(next: Container, current: Container, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const list of ['limits', 'requests'] as const) {
    const before = Object.keys(current.resources?.[list] ?? {});
    const after = next.resources?.[list] ?? {};
    if (before.some((name) => resizable.has(name) && after[name] === undefined))
      errors.push(field.forbidden(`${path}.resources.${list}`, `resource ${list} cannot be removed`));
  }
  return errors;
}

/** The resources that a resize must not change, for comparison. */
function fixedPart(pod: KubeObject): unknown {
  const immutable = (amounts: Record<string, unknown> | undefined) =>
    Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !resizable.has(name)));
  return lists.map((list) =>
    (pod as Pod).spec[list]?.map(({ resources }) => [
      immutable(resources?.limits),
      immutable(resources?.requests),
    ]),
  );
}

/** Validation errors of a pod resize (KEP-1287): only cpu and memory, no removal, the same QoS class. */
export function checkResize(next: KubeObject, current: KubeObject): FieldError[] {
  const errors: FieldError[] = [];
  const before = qosClass((current as Pod).spec);
  if (qosClass((next as Pod).spec) !== before)
    errors.push(field.invalid('spec', before, 'Pod QOS Class may not change as a result of resizing'));
  for (const list of lists)
    for (const [index, container] of ((next as Pod).spec[list] ?? []).entries()) {
      const old = (current as Pod).spec[list]?.[index];
      if (old !== undefined) errors.push(...checkContainer(container, old, `spec.${list}[${index}]`));
    }
  if (!sameValue(fixedPart(next), fixedPart(current)))
    errors.push(field.forbidden('spec', 'only cpu and memory resources are mutable'));
  return errors;
}
