import { ApiError } from '../../schemas/wire/cluster.ts';
import { refuse } from '../api/errors.ts';
import { isFields } from '../../schemas/pods/fields.ts';
import type { ReadYaml } from './exchange.ts';
import { scanJson } from './jsonText.ts';

/** Maximum size of a body in bytes, as in the API server. */
export const bodyLimit = 3 * 1024 * 1024;

/** Maximum nesting depth of a body. The API server accepts 10,000; traversals here are recursive. */
const depthLimit = 500;
const patchOperationsLimit = 10_000;
const shownBytes = 30;

export interface Body {
  value: unknown;
  /** For JSON the paths of duplicate fields (`spec.replicas`); for YAML `line 4: key "a" already set in map`. */
  duplicates: string[];
}

/** The expected object of a body. */
export interface BodySubject {
  kind: string;
  custom: boolean;
}

const tooLarge = (why: string) =>
  new ApiError({ code: 413, reason: 'RequestEntityTooLarge', message: `Request entity too large: ${why}` });

/** The start of a body for messages: JSON objects as text, other bodies in hexadecimal. */
function excerpt(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = Buffer.from(bytes.subarray(0, shownBytes));
  const text = head[0] === 0x7b ? head.toString('utf8') : head.toString('hex');
  return bytes.length > shownBytes ? `${text} ...` : text;
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'object' ? 'object' : typeof value;
}

/** The error for an undecodable body; patches and options have their own messages. */
function undecodable(mediaType: string, bytes: Uint8Array, subject: BodySubject | undefined, why: string) {
  if (subject !== undefined)
    return refuse.badRequest(
      `the object provided is unrecognized (must be of type ${subject.kind}): ${why} (${excerpt(bytes)})`,
    );
  switch (mediaType) {
    case 'application/apply-patch+yaml':
      return refuse.badRequest(`error decoding YAML: error converting YAML to JSON: ${why}`);
    case 'application/merge-patch+json':
    case 'application/json-patch+json':
      return refuse.badRequest(`error decoding patch: ${why}`);
    default:
      return refuse.badRequest(why);
  }
}

const envelopeType = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Why apiVersion and kind cannot be read; undefined if they can. */
function envelopeFault(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (!isFields(value))
    return `json: cannot unmarshal ${goType(value)} into Go value of type ${envelopeType}`;
  for (const name of ['apiVersion', 'kind']) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    if (own !== undefined && own !== null && typeof own !== 'string')
      return `json: cannot unmarshal ${goType(own)} into Go struct field .${name} of type string`;
  }
  return undefined;
}

/** Defaults a missing apiVersion and kind from the URL, for built-in kinds only. */
function checkEnvelope(value: unknown, bytes: Uint8Array, subject: BodySubject, text: string): void {
  const refused = (why: string) => undecodable('', bytes, subject, why);
  const fault = envelopeFault(value);
  if (fault !== undefined) throw refused(`couldn't get version/kind; json parse error: ${fault}`);
  const envelope = isFields(value) ? value : {};
  const { apiVersion, kind } = envelope;
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2)
    throw refused(`unexpected GroupVersion string: ${apiVersion}`);
  if (subject.custom && (kind === undefined || kind === null || kind === ''))
    throw refused(`Object 'Kind' is missing in '${text}'`);
}

function checkPatch(mediaType: string, value: unknown): void {
  switch (mediaType) {
    case 'application/json-patch+json':
      if (value !== null && !Array.isArray(value))
        throw refuse.badRequest(
          `error decoding patch: json: cannot unmarshal ${goType(value)} into Go value of type []handlers.jsonPatchOp`,
        );
      if (Array.isArray(value) && value.length > patchOperationsLimit)
        throw tooLarge(
          `The allowed maximum operations in a JSON patch is ${patchOperationsLimit}, got ${value.length}`,
        );
      return;
    case 'application/merge-patch+json':
      if (value === null) throw refuse.badRequest('Invalid JSON Patch');
      if (!isFields(value))
        throw refuse.badRequest(
          `error decoding patch: json: cannot unmarshal ${goType(value)} into Go value of type map[string]interface {}`,
        );
      return;
    case 'application/strategic-merge-patch+json':
      if (value !== null && !isFields(value))
        throw refuse.badRequest(
          `json: cannot unmarshal ${goType(value)} into Go value of type map[string]interface {}`,
        );
      return;
    case 'application/apply-patch+yaml':
      if (value !== null && !isFields(value))
        throw refuse.badRequest(
          `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${goType(value)} into Go value of type map[string]interface {}`,
        );
      return;
    default:
  }
}

/** Whether a value is nested deeper than `left` levels. */
function isDeeper(value: unknown, left: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return left === 0 || Object.values(value).some((each) => isDeeper(each, left - 1));
}

/** A number that JSON cannot represent, in Go's format. */
function unsupportedNumber(value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const each of Object.values(value)) {
    const found = unsupportedNumber(each);
    if (found !== undefined) return found;
  }
  return undefined;
}

function parseJson(text: string, refused: (why: string) => ApiError, isObject: boolean): Body {
  const { error, duplicates } = scanJson(text, depthLimit);
  if (error !== undefined)
    throw refused(
      isObject && !error.startsWith('json: ')
        ? `couldn't get version/kind; json parse error: ${error}`
        : error,
    );
  return { value: JSON.parse(text) as unknown, duplicates };
}

function parseYaml(text: string, readYaml: ReadYaml, refused: (why: string) => ApiError): Body {
  let body: Body;
  try {
    body = readYaml(text);
  } catch (error) {
    // Every error of the reader is reported as a client error.
    const message = error instanceof Error ? error.message : String(error);
    throw refused(`yaml: ${message.split('\n')[0] ?? ''}`);
  }
  if (isDeeper(body.value, depthLimit)) throw refused(`yaml: exceeded max depth of ${depthLimit}`);
  const number = unsupportedNumber(body.value);
  if (number !== undefined) throw refused(`json: unsupported value: ${number}`);
  return body;
}

/**
 * Parses a request body. `contentType`: the header value, '' if absent, which means JSON. `readYaml` parses one
 * YAML document; its error message is returned to the client. `subject`: the expected object for POST and PUT; not
 * set for patches and options.
 *
 * Throws only ApiError: 400 for undecodable bodies, 413 for large ones, 415 for unknown media types. Invalid UTF-8
 * is read as U+FFFD.
 */
export function parseBody(
  bytes: Uint8Array,
  contentType: string,
  readYaml: ReadYaml,
  subject?: BodySubject,
): Body {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim());
  const mediaType = type.toLowerCase();
  const isPatch = mediaType.includes('patch');
  const known = /^(application\/(json|yaml|(json|merge|strategic-merge)-patch\+json|apply-patch\+yaml))?$/;
  if (!known.test(mediaType) || (isPatch && subject !== undefined) || parameters.slice(0, -1).includes(''))
    throw refuse.unsupportedMediaType(
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
  if (bytes.length > bodyLimit) throw tooLarge(`limit is ${bodyLimit}`);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  const refused = (why: string) => undecodable(mediaType, bytes, subject, why);
  const body = mediaType.endsWith('yaml')
    ? parseYaml(text, readYaml, refused)
    : parseJson(text, refused, subject !== undefined);
  if (subject === undefined) checkPatch(mediaType, body.value);
  else checkEnvelope(body.value, bytes, subject, text);
  return body;
}
