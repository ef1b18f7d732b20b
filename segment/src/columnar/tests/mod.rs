//! Segments against a model: the rows that went in.

mod damage;
mod frozen;
mod kernels;
mod model;
mod round_trip;
