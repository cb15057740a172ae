import {
  labelValueFaults,
  nameFaults,
  qualifiedNameFaults,
  type NameRule,
} from '../../../../schemas/pods/names.ts';
import { hasFormat } from '../../formats.ts';
import type { Form } from '../signature.ts';
import { listOf, optionalOf, type Opaque, type Value } from '../values.ts';
import { urlFault } from './urls.ts';

type Faults = (text: string) => readonly string[];

/** A prefix may end with a dash. */
const prefix = (rule: NameRule) => (text: string) => nameFaults(text.replace(/-$/, 'a'), rule);
const name = (rule: NameRule) => (text: string) => nameFaults(text, rule);
const format = (of: string, fault: string) => (text: string) => (hasFormat(of, text) ? [] : [fault]);

function uriFaults(text: string): string[] {
  const fault = urlFault(text);
  return fault === undefined ? [] : [fault];
}

const formats: Readonly<Record<string, Faults>> = {
  dns1123Label: name('label'),
  dns1123Subdomain: name('subdomain'),
  dns1035Label: name('label1035'),
  qualifiedName: qualifiedNameFaults,
  dns1123LabelPrefix: prefix('label'),
  dns1123SubdomainPrefix: prefix('subdomain'),
  dns1035LabelPrefix: prefix('label1035'),
  labelValue: labelValueFaults,
  uri: uriFaults,
  uuid: format('uuid', 'does not match the UUID format'),
  byte: format('byte', 'invalid base64'),
  date: format('date', 'invalid date'),
  datetime: format('date-time', 'invalid datetime'),
};

const type = 'kubernetes.NamedFormat';
const formatOf = (key: string): Opaque => ({ kind: 'opaque', name: type, text: key, data: key });

function named(key: string): Value {
  return optionalOf(Object.hasOwn(formats, key) ? formatOf(key) : undefined);
}

function faults({ text: key }: Opaque, text: string): Value {
  const found = formats[key]?.(text) ?? [];
  return optionalOf(found.length === 0 ? undefined : listOf(found));
}

/** Kubernetes' formats: `format.dns1123Label().validate(…)`. */
export const namedFormats: Readonly<Record<string, readonly Form[]>> = {
  ...Object.fromEntries(
    Object.keys(formats).map((key) => [`format.${key}`, [[`() ${type}`, () => formatOf(key)] as const]]),
  ),
  'format.named': [[`(string) optional<${type}>`, named]],
  validate: [[`${type}.(string) optional<list<string>>`, faults]],
};
