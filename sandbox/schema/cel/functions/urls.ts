import type { Form } from '../signature.ts';
import { EvaluationFault } from '../source.ts';
import { dictOf, listOf, type Opaque, type Value } from '../values.ts';

interface Address {
  scheme: string;
  host: string;
  path: string;
  query: string;
}

const shape =
  /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/((?:[^/?#@]*@)?)([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

/** Parses an absolute URL or a path; returns the error in the wording of Go's parser. */
function parse(text: string): Address | { fault: string } {
  const fault = (why: string) => ({ fault: `parse ${JSON.stringify(text)}: ${why}` });
  if (text === '') return fault('empty url');
  if ([...text].some((rune) => rune < ' ' || rune === '\x7f'))
    return fault('net/url: invalid control character in URL');
  if (/^[^A-Za-z/?#]*:/.test(text) || /^[^/?#]*[^A-Za-z0-9+.\-/?#:][^/?#]*:/.test(text.split('/')[0] ?? ''))
    return fault('first path segment in URL cannot contain colon');
  const [, scheme = '', , host = '', path = '', query = ''] = shape.exec(text) ?? [];
  if (text.startsWith(':')) return fault('missing protocol scheme');
  if (scheme === '' && !text.startsWith('/')) return fault('invalid URI for request');
  if (scheme !== '' && !text.slice(scheme.length + 1).startsWith('/'))
    return { scheme: scheme.toLowerCase(), host: '', path: '', query };
  const escape = /%(?![0-9a-fA-F]{2}).{0,2}/s.exec(path);
  if (escape !== null) return fault(`invalid URL escape ${JSON.stringify(escape[0])}`);
  const bad = /[ "<>\\^`{}|]/.exec(host)?.[0];
  if (bad !== undefined) return fault(`invalid character ${JSON.stringify(bad)} in host name`);
  const [, port] = /^(?:\[[^\]]*\]|[^:]*)(:.*)?$/.exec(host) ?? [];
  if (port !== undefined && !/^:\d*$/.test(port))
    return fault(`invalid port ${JSON.stringify(port)} after host`);
  return { scheme: scheme.toLowerCase(), host, path, query };
}

const partsOf = ({ data }: Opaque) => data as Address;

function url(text: string): Opaque {
  const parsed = parse(text);
  if ('fault' in parsed)
    throw new EvaluationFault(`URL parse error during conversion from string: ${parsed.fault}`);
  return { kind: 'opaque', name: 'kubernetes.URL', text, data: parsed };
}

function portOf(own: Opaque): string {
  return /:(\d+)$/.exec(partsOf(own).host)?.[1] ?? '';
}

function hostname(own: Opaque): string {
  const plain = partsOf(own).host.replace(/:\d*$/, '');
  return /^\[(.*)\]$/.exec(plain)?.[1] ?? plain;
}

/** Percent-encodes a path. */
function escapedPath(own: Opaque): string {
  return partsOf(own).path.replace(/[^A-Za-z0-9\-_.~$&+,/:;=@%!'()*[\]]+/gu, (part) =>
    encodeURIComponent(part),
  );
}

function queryOf(own: Opaque): Value {
  const found = new Map<string, string[]>();
  const text = (part: string) => {
    try {
      return decodeURIComponent(part.replaceAll('+', ' '));
    } catch {
      return undefined;
    }
  };
  for (const pair of partsOf(own).query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const cut = pair.indexOf('=');
    const key = text(cut < 0 ? pair : pair.slice(0, cut));
    const value = text(cut < 0 ? '' : pair.slice(cut + 1));
    if (key !== undefined && value !== undefined) found.set(key, [...(found.get(key) ?? []), value]);
  }
  return dictOf([...found].map(([key, values]) => [key, listOf(values)]));
}

/** Why a URL is invalid; undefined if it is valid. */
export function urlFault(text: string): string | undefined {
  const parsed = parse(text);
  return 'fault' in parsed ? parsed.fault : undefined;
}

const type = 'kubernetes.URL';

/** Kubernetes' functions of URLs. */
export const urls: Readonly<Record<string, readonly Form[]>> = {
  url: [[`(string) ${type}`, url]],
  isURL: [['(string) bool', (text: string) => urlFault(text) === undefined]],
  getScheme: [[`${type}.() string`, (own: Opaque) => partsOf(own).scheme]],
  getHost: [[`${type}.() string`, (own: Opaque) => partsOf(own).host]],
  getHostname: [[`${type}.() string`, hostname]],
  getPort: [[`${type}.() string`, portOf]],
  getEscapedPath: [[`${type}.() string`, escapedPath]],
  getQuery: [[`${type}.() map<string, list<string>>`, queryOf]],
};
