import { createHash } from 'node:crypto';
import { fieldAt, isFields } from '../../schemas/pods/fields.ts';
import type { JsonPatchOperation } from '../../schemas/wire/cluster.ts';
import { requestOf } from '../policies/environment.ts';
import type { AdmittedWrite } from '../policies/write.ts';

const apiVersion = 'admission.k8s.io/v1';

/** A review as it is sent, and what it is about without what differs between attempts at the same write. */
export interface Review {
  uid: string;
  body: object;
  key: string;
}

/** The review of a write. `seen`: the write in the version of the webhook's rule. */
export function reviewOf(write: AdmittedWrite, seen: AdmittedWrite): Review {
  const asked = {
    ...requestOf(write, seen),
    object: seen.object ?? null,
    oldObject: seen.before ?? null,
  };
  const request = JSON.parse(JSON.stringify(asked)) as Record<string, unknown>;
  const { name: _name, object, ...rest } = request;
  const key = JSON.stringify({ ...rest, object: withoutIds(object) });
  const hex = createHash('sha256')
    .update(`${key}\n${write.newUid ?? ''}`)
    .digest('hex');
  const uid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { uid, key, body: { kind: 'AdmissionReview', apiVersion, request: { uid, ...request } } };
}

function withoutIds(object: unknown): unknown {
  if (!isFields(object) || !isFields(object['metadata'])) return object;
  const {
    name,
    uid: _uid,
    creationTimestamp: _created,
    managedFields: _owners,
    ...metadata
  } = object['metadata'];
  return { ...object, metadata: metadata['generateName'] === undefined ? { ...metadata, name } : metadata };
}

/** What a webhook decided. */
export interface Verdict {
  allowed: boolean;
  patch: readonly JsonPatchOperation[];
  warnings: readonly string[];
  /** A Status, for a refusal. */
  status: Readonly<Record<string, unknown>>;
}

/** Reads the answer of a webhook; a text says why it is not valid. */
export function verdictOf(answer: unknown, uid: string, mutating: boolean): Verdict | string {
  const response = fieldAt(answer, ['response']);
  if (!isFields(response)) return 'received invalid webhook response: webhook response was absent';
  const invalid = (why: string) => `received invalid webhook response: ${why}`;
  const text = (value: unknown): string => (typeof value === 'string' ? value : '');
  if (text(response['uid']) !== uid)
    return invalid(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response['uid']))}`,
    );
  const { apiVersion: version, kind } = answer as Record<string, unknown>;
  if (version !== apiVersion || kind !== 'AdmissionReview')
    return invalid(
      `expected webhook response of ${apiVersion}, Kind=AdmissionReview, got ${text(version)}, Kind=${text(kind)}`,
    );
  const { patch, patchType } = response;
  const hasPatch = typeof patch === 'string' && patch !== '';
  if (!mutating && hasPatch) return invalid('validating webhook may not return response.patch');
  if (!mutating && typeof patchType === 'string')
    return invalid('validating webhook may not return response.patchType');
  if (hasPatch && typeof patchType !== 'string')
    return invalid('webhook returned response.patch but not response.patchType');
  if (!hasPatch && typeof patchType === 'string')
    return invalid('webhook returned response.patchType but not response.patch');
  if (hasPatch && patchType !== 'JSONPatch') return `unsupported patch type ${JSON.stringify(patchType)}`;
  const operations = hasPatch ? operationsOf(patch) : [];
  if (typeof operations === 'string') return operations;
  const { warnings, status } = response;
  return {
    allowed: response['allowed'] === true,
    patch: operations,
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
    status: isFields(status) ? status : {},
  };
}

function operationsOf(patch: string): JsonPatchOperation[] | string {
  try {
    const read = JSON.parse(Buffer.from(patch, 'base64').toString('utf8')) as unknown;
    if (Array.isArray(read)) return read as JsonPatchOperation[];
  } catch {
    // Neither is a list that cannot be read.
  }
  return 'received undecodable patch in webhook response: it is no list of operations';
}
