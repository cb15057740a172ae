import { field, type FieldError } from './fieldErrors.ts';
import { fieldAt, type Fields } from './fields.ts';
import {
  relativePath,
  isSet,
  isMissing,
  items,
  noParentSegments,
  oneOf,
  required,
  textOf,
} from './fieldChecks.ts';

const propagations = ['Bidirectional', 'HostToContainer', 'None'];
const readOnlyModes = ['Disabled', 'Enabled', 'IfPossible'];

function checkPropagation(container: Fields, value: unknown, path: string): FieldError[] {
  const errors = oneOf(path, value, propagations);
  if (value === 'Bidirectional' && fieldAt(container, ['securityContext', 'privileged']) !== true)
    errors.push(
      field.forbidden(path, 'Bidirectional mount propagation is available only to privileged containers'),
    );
  return errors;
}

function checkRecursiveReadOnly(mount: Fields, path: string): FieldError[] {
  const { recursiveReadOnly: mode, readOnly, mountPropagation } = mount;
  if (mode !== 'Enabled' && mode !== 'IfPossible') return oneOf(path, mode, readOnlyModes);
  const errors: FieldError[] = [];
  if (readOnly !== true) errors.push(field.forbidden(path, 'may only be specified when readOnly is true'));
  if (isSet(mountPropagation) && mountPropagation !== 'None')
    errors.push(
      field.forbidden(path, 'may only be specified when mountPropagation is None or not specified'),
    );
  return errors;
}

/** Volume mounts of a container; `volumes` are the valid volumes of the pod. */
export function checkMounts(
  container: Fields,
  path: string,
  volumes: ReadonlyMap<unknown, Fields>,
): FieldError[] {
  const devices = items(container['volumeDevices']);
  const deviceNames = new Set(devices.map((device) => textOf(device['name'])));
  const devicePaths = new Set(devices.map((device) => textOf(device['devicePath'])));
  const seen = new Set<string>();
  return items(container['volumeMounts']).flatMap((mount, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(mount['name']);
    const mountPath = textOf(mount['mountPath']);
    const { subPath, subPathExpr, mountPropagation } = mount;
    const errors = required(`${at}.name`, name);
    if (!volumes.has(name)) errors.push(field.notFound(`${at}.name`, name));
    errors.push(...required(`${at}.mountPath`, mountPath));
    if (seen.has(mountPath)) errors.push(field.invalid(`${at}.mountPath`, mountPath, 'must be unique'));
    seen.add(mountPath);
    if (deviceNames.has(name))
      errors.push(field.invalid(`${at}.name`, name, 'must not already exist in volumeDevices'));
    if (devicePaths.has(mountPath))
      errors.push(
        field.invalid(`${at}.mountPath`, mountPath, 'must not already exist as a path in volumeDevices'),
      );
    if (!isMissing(subPath)) errors.push(...relativePath(`${path}.subPath`, subPath));
    if (!isMissing(subPathExpr)) {
      if (!isMissing(subPath))
        errors.push(
          field.invalid(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive'),
        );
      errors.push(...relativePath(`${path}.subPathExpr`, subPathExpr));
    }
    return [
      ...errors,
      ...checkPropagation(container, mountPropagation, `${path}.mountPropagation`),
      ...checkRecursiveReadOnly(mount, `${path}.recursiveReadOnly`),
    ];
  });
}

/** Block devices of a container. */
export function checkDevices(
  container: Fields,
  path: string,
  volumes: ReadonlyMap<unknown, Fields>,
): FieldError[] {
  const mounts = items(container['volumeMounts']);
  const mountNames = new Set(mounts.map((mount) => textOf(mount['name'])));
  const mountPaths = new Set(mounts.map((mount) => textOf(mount['mountPath'])));
  const names = new Set<string>();
  const paths = new Set<string>();
  return items(container['volumeDevices']).flatMap((device, index) => {
    const at = `${path}[${index}]`;
    const name = textOf(device['name']);
    const devicePath = textOf(device['devicePath']);
    const volume = volumes.get(name);
    const errors = required(`${at}.name`, name);
    const refuse = (which: 'name' | 'devicePath', why: string) =>
      errors.push(field.invalid(`${at}.${which}`, which === 'name' ? name : devicePath, why));
    if (names.has(name)) refuse('name', 'must be unique');
    if (volume === undefined) errors.push(field.notFound(`${at}.name`, name));
    else if (!isSet(volume['persistentVolumeClaim']) && !isSet(volume['ephemeral']))
      refuse('name', 'can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode');
    errors.push(...required(`${at}.devicePath`, devicePath));
    if (paths.has(devicePath)) refuse('devicePath', 'must be unique');
    if (noParentSegments('', devicePath).length > 0) refuse('devicePath', "can not contain backsteps ('..')");
    else paths.add(devicePath);
    if (mountNames.has(name)) refuse('name', 'must not already exist in volumeMounts');
    if (mountPaths.has(devicePath)) refuse('devicePath', 'must not already exist as a path in volumeMounts');
    if (name !== '') names.add(name);
    return errors;
  });
}
