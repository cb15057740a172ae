import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Container, Pod } from '../../schemas/pods/pod.ts';
import { withTemplateDefaults } from '../../schemas/pods/podDefaults.ts';
import { isFields, sameValue } from '../../schemas/pods/fields.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import { nameFaults } from '../../schemas/pods/names.ts';

const path = 'spec.ephemeralContainers';
/** Fields that are not allowed in ephemeral containers. */
const forbidden = ['ports', 'resources', 'livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];

export function ephemeralOf(pod: KubeObject): Container[] {
  const list = isFields(pod['spec']) ? pod['spec']['ephemeralContainers'] : undefined;
  return Array.isArray(list) ? (list as Container[]) : [];
}

/** The pod with only its ephemeral containers updated; the rest of the proposal is ignored. */
export function withEphemeral(proposed: KubeObject, current: KubeObject): KubeObject {
  const { ephemeralContainers: _before, ...spec } = (current as Pod).spec;
  const containers = ephemeralOf(proposed);
  if (containers.length === 0) return { ...current, spec };
  const completed = withTemplateDefaults({ containers }).containers;
  return { ...current, spec: { ...spec, ephemeralContainers: completed } };
}

function checkContainer(
  container: Container,
  at: string,
  pod: Pod,
  taken: ReadonlySet<string>,
): FieldError[] {
  const { name, image, targetContainerName } = container as Container & { targetContainerName?: string };
  const errors: FieldError[] = [];
  if (!name) errors.push(field.required(`${at}.name`));
  else errors.push(...nameFaults(name, 'label').map((fault) => field.invalid(`${at}.name`, name, fault)));
  if (taken.has(name)) errors.push(field.duplicate(`${at}.name`, name));
  if (!image) errors.push(field.required(`${at}.image`));
  const volumes = new Set((pod.spec.volumes ?? []).map((volume) => volume.name));
  for (const [index, mount] of (container.volumeMounts ?? []).entries())
    if (!volumes.has(mount.name))
      errors.push(field.notFound(`${at}.volumeMounts[${index}].name`, mount.name));
  const targets = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].map((each) => each.name);
  if (targetContainerName && !targets.includes(targetContainerName))
    errors.push(field.notFound(`${at}.targetContainerName`, targetContainerName));
  for (const given of forbidden) {
    const value = (container as unknown as Record<string, unknown>)[given];
    const isSet = Array.isArray(value)
      ? value.length > 0
      : isFields(value) && (given !== 'resources' || Object.keys(value).length > 0);
    if (isSet) errors.push(field.forbidden(`${at}.${given}`, 'cannot be set for an Ephemeral Container'));
  }
  return errors;
}

/** Validation errors of the ephemeral containers: existing ones can be neither changed nor removed. */
export function checkEphemeral(next: KubeObject, current: KubeObject): FieldError[] {
  const { spec } = next as Pod;
  const taken = new Set([...spec.containers, ...(spec.initContainers ?? [])].map((each) => each.name));
  const errors = ephemeralOf(next).flatMap((container, index) => {
    const found = checkContainer(container, `${path}[${index}]`, next as Pod, taken);
    taken.add(container.name);
    return found;
  });
  // Malformed entries are reported once, not as changes of existing containers.
  if (errors.length > 0) return errors;
  const after = new Map(ephemeralOf(next).map((container) => [container.name, container]));
  for (const container of ephemeralOf(current)) {
    const existing = after.get(container.name);
    if (sameValue(existing, container)) continue;
    const what = existing === undefined ? 'removed' : 'changed';
    errors.push(
      field.forbidden(path, `existing ephemeral containers "${container.name}" may not be ${what}\n`),
    );
  }
  return errors;
}
