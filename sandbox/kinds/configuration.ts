import type { KubeObject } from '../../schemas/wire/object.ts';
import { field, type FieldError } from '../../schemas/pods/fieldErrors.ts';
import type { KindRules } from '../api/registry.ts';
import { isFields, sameValue, type Fields } from '../../schemas/pods/fields.ts';
import { textAt } from '../store/value.ts';
import { keyFaults } from '../../schemas/pods/configKeys.ts';

function keysOf(object: KubeObject, list: string): string[] {
  const entries = object[list];
  return isFields(entries) ? Object.keys(entries).sort() : [];
}

function checkKeys(object: KubeObject, list: string): FieldError[] {
  return keysOf(object, list).flatMap((key) =>
    keyFaults(key).map((fault) => field.invalid(`${list}[${key}]`, key, fault)),
  );
}

/** The maximum total size of all values, in bytes. */
const dataLimit = 1024 * 1024;

function sizeOf(object: KubeObject, list: string, encoding: 'utf8' | 'base64'): number {
  const entries = object[list];
  const values: unknown[] = isFields(entries) ? Object.values(entries) : [];
  return values.reduce<number>((sum, value) => sum + Buffer.byteLength(String(value), encoding), 0);
}

/** An immutable object stays immutable and unchanged. */
function immutability(lists: readonly string[]): (next: KubeObject, current: KubeObject) => FieldError[] {
  const rule = 'field is immutable when `immutable` is set';
  return (next, current) => {
    if (current['immutable'] !== true) return [];
    return ['immutable', ...lists]
      .filter((name) => !sameValue(next[name] ?? {}, current[name] ?? {}))
      .map((name) => field.forbidden(name, rule));
  };
}

const configMapRules: KindRules = {
  check(object) {
    const binary = new Set(keysOf(object, 'binaryData'));
    const twice = keysOf(object, 'data').filter((key) => binary.has(key));
    return [
      ...checkKeys(object, 'data'),
      ...twice.map((key) => field.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
      ...checkKeys(object, 'binaryData'),
      ...(sizeOf(object, 'data', 'utf8') + sizeOf(object, 'binaryData', 'base64') > dataLimit
        ? [field.tooLong('[]', dataLimit)]
        : []),
    ];
  },
  checkUpdate: immutability(['data', 'binaryData']),
};

/** Required keys by Secret type. */
const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
};

const accountAnnotation = 'kubernetes.io/service-account.name';

/** `stringData` is write-only: it is merged into data. */
function withData(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  const data: Fields = isFields(object['data']) ? { ...object['data'] } : {};
  if (isFields(stringData))
    for (const [key, value] of Object.entries(stringData))
      Object.defineProperty(data, key, {
        value: Buffer.from(String(value)).toString('base64'),
        enumerable: true,
        configurable: true,
        writable: true,
      });
  return {
    ...rest,
    ...(Object.keys(data).length === 0 ? {} : { data }),
    type: object['type'] ?? 'Opaque',
  };
}

const secretRules: KindRules = {
  defaults: withData,
  check(object) {
    const keys = new Set(keysOf(object, 'data'));
    const missing = (requiredKeys[String(object['type'])] ?? []).filter((key) => !keys.has(key));
    const type = object['type'];
    const either = ['username', 'password'];
    if (type === 'kubernetes.io/basic-auth' && !either.some((key) => keys.has(key))) missing.push(...either);
    const account = object.metadata.annotations?.[accountAnnotation] ?? '';
    return [
      ...checkKeys(object, 'data'),
      ...(sizeOf(object, 'data', 'base64') > dataLimit ? [field.tooLong('data', dataLimit)] : []),
      ...(type === 'kubernetes.io/service-account-token' && account === ''
        ? [field.required(`metadata.annotations[${accountAnnotation}]`)]
        : []),
      ...missing.map((key) => field.required(`data[${key}]`)),
    ];
  },
  checkUpdate: (next, current) => [
    ...(next['type'] === current['type'] ? [] : [field.invalid('type', next['type'], 'field is immutable')]),
    ...immutability(['data'])(next, current),
  ],
  fields: { type: textAt(['type']) },
};

/** Configuration kinds, by resource id. */
export const configurationRules: Readonly<Record<string, KindRules>> = {
  configmaps: configMapRules,
  secrets: secretRules,
};
