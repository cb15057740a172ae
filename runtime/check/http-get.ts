import { lookup as systemLookup } from 'node:dns/promises';
import { request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import type { Clock } from '../../schemas/wire/clock.ts';
import type { AddressRules } from './addresses.ts';
import type { Get, GetAnswer, GetOptions, Post } from './get.ts';
import { errorText } from './errors.ts';
import { withoutBrackets } from './url.ts';

export interface Address {
  address: string;
  family: number;
}

/** All addresses of a name; rejects if it has none. */
export type Resolve = (host: string) => Promise<Address[]>;

/** With content it is a POST, of which only the status is read. */
type ExchangeOptions = GetOptions & { content?: string };

const resolveBySystem: Resolve = async (host) => systemLookup(host, { all: true });

interface HttpOptions {
  clock: Clock;
  addresses: AddressRules;
  resolve?: Resolve;
}

/** GET over sockets, as `createExchange` sends it. */
export function createHttpGet(options: HttpOptions): Get {
  return createExchange(options);
}

/** POST over sockets, as `createExchange` sends it. */
export function createHttpPost(options: HttpOptions): Post {
  return createExchange(options);
}

/**
 * Requests over sockets. The name is resolved once, all its addresses are checked by the rules, and only these are connected to.
 * It uses no proxy, no cookies and no kept-alive connections, and verifies certificates whatever the environment contains.
 */
function createExchange({
  clock,
  addresses,
  resolve = resolveBySystem,
}: HttpOptions): (text: string, options: ExchangeOptions) => Promise<GetAnswer> {
  return async (text, options) =>
    new Promise<GetAnswer>((answer) => {
      const url = new URL(text);
      let request: ClientRequest | undefined;
      let settled = false;
      const settle = (result: GetAnswer): void => {
        if (settled) return;
        settled = true;
        cancel();
        options.signal.removeEventListener('abort', abort);
        request?.destroy();
        answer(result);
      };
      const abort = (): void => settle({ error: 'the request was canceled' });
      const cancel = clock.after(options.timeoutMs, () =>
        settle({ error: `no complete response within ${options.timeoutMs / 1000} s` }),
      );
      options.signal.addEventListener('abort', abort);
      if (options.signal.aborted) return abort();
      addressesOf(withoutBrackets(url.hostname), resolve, addresses)
        .then((found) => {
          if (settled) return;
          if ('error' in found) settle(found);
          else request = send(url, found.addresses, options, settle);
        })
        .catch((error: unknown) => settle({ error: errorText(error) }));
    });
}

/** The addresses of a host; an error if the rules refuse any of them. */
async function addressesOf(
  host: string,
  resolve: Resolve,
  rules: AddressRules,
): Promise<{ addresses: Address[] } | { error: string }> {
  const literal = isIP(host);
  const found = literal === 0 ? await resolve(host) : [{ address: host, family: literal }];
  if (found.length === 0) return { error: 'the name does not resolve' };
  for (const { address } of found) {
    const kind = rules.refused(address);
    if (kind !== undefined) return { error: `the host is ${kind}, which is not allowed` };
  }
  return { addresses: found };
}

function send(
  url: URL,
  addresses: Address[],
  { headers, maxBytes, content }: ExchangeOptions,
  settle: (result: GetAnswer) => void,
): ClientRequest {
  const lookup: LookupFunction = (_host, options, found) => {
    const [first = { address: '', family: 0 }] = addresses;
    if (options.all === true) found(null, addresses);
    else found(null, first.address, first.family);
  };
  const own = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'kruise' };
  const options: RequestOptions = {
    method: content === undefined ? 'GET' : 'POST',
    protocol: url.protocol,
    hostname: withoutBrackets(url.hostname),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { ...own, ...(content !== undefined && { 'content-type': 'application/json' }), ...headers },
    agent: false,
    lookup,
  };
  const request =
    url.protocol === 'https:' ? httpsRequest({ ...options, rejectUnauthorized: true }) : httpRequest(options);
  let responded = false;
  request.on('response', (response) => {
    responded = true;
    // A receiver that has accepted it must not get it again because its answer is too long, or never ends.
    if (content !== undefined) settle({ status: response.statusCode ?? 0, body: '' });
    else receive(response, maxBytes, settle);
  });
  request.on('error', (error) => settle({ error: errorText(error) }));
  request.on('close', () => {
    if (!responded) settle({ error: 'the connection was closed' });
  });
  request.end(content);
  return request;
}

function receive(response: IncomingMessage, maxBytes: number, settle: (result: GetAnswer) => void): void {
  const status = response.statusCode ?? 0;
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > maxBytes) settle({ error: `more than ${maxBytes} bytes` });
    else chunks.push(chunk);
  });
  response.on('end', () => settle({ status, body: Buffer.concat(chunks).toString('utf8') }));
  // A truncated body is an error.
  response.on('error', (error) => settle({ error: errorText(error) }));
}
