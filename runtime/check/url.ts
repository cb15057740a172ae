import { isIP } from 'node:net';
import { argumentsIn, fill, piecesOf } from './template.ts';
import type { Piece, Values } from './template.ts';

/** A URL with placeholders in host, path and query, in its normal form. */
export interface UrlTemplate {
  /** `http://` or `https://`. */
  scheme: string;
  host: Piece[];
  /** Includes the colon; empty: the default port of the scheme. */
  port: string;
  path: Piece[];
  /** Includes the question mark; empty: there is no query. */
  search: Piece[];
}

const FORM = /^(https?):\/\/([^/?#]*)((?:\/[^?#]*)?)(\?[^#]*)?(#.*)?$/i;
const AUTHORITY = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]+)(?::([0-9]{1,5}))?$/;
const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Parses a URL of the configuration. Returns what is wrong with it otherwise. */
export function parseUrl(text: string): { template: UrlTemplate } | { problem: string } {
  if (!/^[!-~]*$/.test(text) || text.includes('\\')) {
    return {
      problem: 'must not contain spaces or backslashes; characters beyond ASCII must be percent-encoded',
    };
  }
  const parts = FORM.exec(text);
  if (parts === null) return { problem: 'must begin with http:// or https://' };
  const [, scheme = '', authority = '', path = '', search = '', fragment] = parts;
  if (authority.includes('@')) return { problem: 'must not contain a user name or password' };
  if (fragment !== undefined) return { problem: 'must not have a fragment' };
  const [, host, port] = AUTHORITY.exec(authority) ?? [];
  if (host === undefined) {
    return {
      problem:
        'must have a host, and a number as its port; placeholders are allowed in the host, the path and the query',
    };
  }
  const secure = scheme.toLowerCase() === 'https';
  const template: UrlTemplate = {
    scheme: secure ? 'https://' : 'http://',
    host: piecesOf(host).map((piece) => (typeof piece === 'string' ? piece.toLowerCase() : piece)),
    port: port === undefined || Number(port) === (secure ? 443 : 80) ? '' : `:${port}`,
    path: piecesOf(path === '' ? '/' : path),
    search: piecesOf(search),
  };
  const texts = [...template.host, ...template.path, ...template.search].filter((p) => typeof p === 'string');
  if (texts.some((literal) => /[{}]/.test(literal))) {
    return {
      problem: 'has a brace outside of a placeholder; a placeholder is {name}, of letters, digits and _',
    };
  }
  if (texts.some((literal) => /%(?![0-9A-Fa-f]{2})/.test(literal))) {
    return { problem: 'has a % that is not followed by two hexadecimal digits' };
  }
  const sample = textOf(template, (pieces) => fill(pieces, new Map(), () => 'x'));
  if (isNormal(sample)) return { template };
  if (!URL.canParse(sample)) return { problem: 'has an invalid host or port' };
  const hint = argumentsIn(text).length === 0 ? `: ${new URL(sample).href}` : '';
  return { problem: `is not in its normal form${hint}` };
}

/** The IP address of a host that is one; undefined: it is a name, or has placeholders. */
export function addressIn({ host }: UrlTemplate): string | undefined {
  const [literal, ...more] = host;
  if (typeof literal !== 'string' || more.length > 0) return undefined;
  const address = withoutBrackets(literal);
  return isIP(address) === 0 ? undefined : address;
}

export function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

/** The URL with the values, or why they are refused, as a sentence. */
export function fillUrl(template: UrlTemplate, values: Values): { url: string } | { refusal: string } {
  const inHost = template.host.filter((piece) => typeof piece !== 'string');
  for (const { arg } of inHost) {
    if (!LABEL.test(values.get(arg) ?? '')) {
      const form = 'must be a DNS label: a-z, 0-9, and - not at the ends, at most 63 characters';
      return { refusal: `the argument ${arg} is part of a host name and ${form}` };
    }
  }
  for (const piece of template.path) {
    // Servers decode %2F and then resolve `..`.
    if (typeof piece !== 'string' && (values.get(piece.arg) ?? '').split(/[/\\]/).some(isDots)) {
      return {
        refusal: `the argument ${piece.arg} is part of a path and must not contain . or .. as a segment`,
      };
    }
  }
  const host = fill(template.host, values, (value) => value);
  if (inHost.length > 0 && (isIP(host) !== 0 || !isHostName(host))) {
    return { refusal: 'the arguments do not form a host name' };
  }
  const url = textOf(template, (pieces) => fill(pieces, values, pieces === template.host ? String : encode));
  return isNormal(url) ? { url } : { refusal: 'the arguments form a URL that is not in its normal form' };
}

/** Percent-encodes a value for a path or a query, including all delimiters. */
export function encode(value: string): string {
  return encodeURIComponent(value).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function textOf(
  { scheme, host, port, path, search }: UrlTemplate,
  write: (pieces: Piece[]) => string,
): string {
  return `${scheme}${write(host)}${port}${write(path)}${write(search)}`;
}

/** Whether the URL parser leaves the text unchanged: no 127.1, no `..`, no host in upper case. */
function isNormal(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text;
}

function isDots(part: string): boolean {
  return part === '.' || part === '..';
}

function isHostName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((label) => label !== '' && label.length <= 63);
}
