import { createNoopMeter, metrics, ProxyTracerProvider, trace } from '@opentelemetry/api';

/** True when somebody registered an SDK: the API's own parts do nothing. By identity, as names do not survive minifying. */
export function hasSdk(): boolean {
  const tracers = trace.getTracerProvider();
  const delegate = tracers instanceof ProxyTracerProvider ? tracers.getDelegate() : tracers;
  return (
    delegate.constructor !== new ProxyTracerProvider().getDelegate().constructor ||
    metrics.getMeter('toolgate').constructor !== createNoopMeter().constructor
  );
}
