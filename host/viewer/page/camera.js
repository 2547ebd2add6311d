// Which part of a grid is in sight: all in pixels of the device, so that places fall on whole pixels.
const most = 64, pixels_at_most = 1 << 22, edge_at_most = 4096;

export class Camera {
  zoom = 1; wish = 1; x = 0; y = 0; width = 0; height = 0; ratio = 1; nx = 1; ny = 1; fitted = true;
  axes = [0, 1]; // of the grid: those of the picture

  // The canvas has another size.
  resize(width, height, ratio) {
    const dx = (width - this.width) / 2, dy = (height - this.height) / 2, times = ratio / this.ratio;
    Object.assign(this, { width, height, ratio });
    if (this.fitted) return this.fit();
    this.x += dx, this.y += dy;
    if (times !== 1) this.zoomBy(times);
    else this.hold();
  }
  grid(nx, ny) {
    if (nx === this.nx && ny === this.ny) return;
    Object.assign(this, { nx, ny }), this.fit();
  }

  fit() {
    const pad = (this.width < 500 * this.ratio ? 8 : 16) * this.ratio;
    const free = Math.min((this.width - 2 * pad) / this.nx, (this.height - 2 * pad) / this.ny);
    this.zoom = this.wish = snapped(Math.max(1e-4, Math.min(most * this.ratio, free)));
    this.fitted = true, this.hold();
  }
  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    const whole = Math.min(this.width / this.nx, this.height / this.ny) / 2;
    this.wish = Math.max(Math.min(whole, 1), Math.min(most * this.ratio, this.wish * factor));
    const zoom = this.wish < 1 ? 1 / Math.round(1 / this.wish) : this.wish, times = zoom / this.zoom; // zoomed out, whole places a pixel
    this.x = px - (px - this.x) * times, this.y = py - (py - this.y) * times;
    this.zoom = zoom, this.fitted = false, this.hold();
  }
  move(dx, dy) { this.x += dx, this.y += dy, this.fitted = false, this.hold(); }

  // Puts a place, or a point in it, into the middle.
  lookAt(x, y) { this.x = this.width / 2 - x * this.zoom, this.y = this.height / 2 - y * this.zoom, this.hold(); }

  // A grid smaller than the canvas stands in its middle; of a larger one the middle of the canvas is never left.
  hold() {
    const one = (at, size, room) => size <= room ? (room - size) / 2 : Math.max(room / 2 - size, Math.min(room / 2, at));
    this.x = one(this.x, this.nx * this.zoom, this.width), this.y = one(this.y, this.ny * this.zoom, this.height);
  }

  // The place at a pixel, or nothing.
  placeAt(px, py) {
    const x = Math.floor((px - Math.round(this.x)) / this.zoom), y = Math.floor((py - Math.round(this.y)) / this.zoom);
    return x >= 0 && y >= 0 && x < this.nx && y < this.ny ? { x, y } : null;
  }
  // The part of the canvas that the grid covers.
  covered() {
    const left = Math.max(0, Math.round(this.x)), top = Math.max(0, Math.round(this.y));
    const right = Math.min(this.width, Math.round(this.x) + Math.round(this.nx * this.zoom));
    const bottom = Math.min(this.height, Math.round(this.y) + Math.round(this.ny * this.zoom));
    return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
  }

  // What to ask the run for: pixels of `across` x `across` places, at most one for each pixel of the canvas.
  inSight() {
    if (this.width < 1 || this.height < 1) return null;
    for (let across = Math.ceil(1 / Math.min(1, this.zoom) - 1e-6); ; across++) {
      const [x, width] = this.span(this.x, this.width, this.nx, across), [y, height] = this.span(this.y, this.height, this.ny, across);
      if (width * height <= pixels_at_most && Math.max(width, height) <= edge_at_most) return { x, y, across, width, height };
    }
  }
  // From whole pixels of `across` places on, so that they stay the same while the grid is moved.
  span(at, room, size, across) {
    const begin = Math.round(at), first = Math.floor(Math.max(0, -begin / this.zoom) / across) * across;
    const end = Math.min(size, (room - begin) / this.zoom);
    return [first, Math.max(1, Math.ceil((end - first) / across - 1e-9))];
  }

  // A length of whole places for the scale bar, in pixels of the page.
  ruler() {
    const one = this.zoom / this.ratio, ten = 10 ** Math.floor(Math.log10(90 / one));
    const places = Math.max(1, ([5, 2, 1].find(times => times * ten * one <= 90) ?? 1) * ten);
    return { places, length: places * one };
  }
}

// A whole number of pixels a place, or of places a pixel, where that loses little.
function snapped(zoom) {
  const near = zoom >= 1 ? Math.floor(zoom) : 1 / Math.ceil(1 / zoom - 1e-9);
  return near / zoom > 0.92 ? near : zoom;
}
